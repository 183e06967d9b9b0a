/** One reader takes values when notified, or iterates. */
export interface PullStream<T> extends AsyncIterableIterator<T, undefined> {
  /** Returns null if nothing is there yet. @throws the stream's failure, once */
  take(): IteratorResult<T, undefined> | null
  onMore(listener: () => void): void
  /** The stream failed, so earlier values no longer matter. */
  readonly broken: boolean
  return(): Promise<IteratorReturnResult<undefined>>
}

interface Source<T> {
  take(): IteratorResult<T, undefined> | null
  stop(): void
  isBroken(): boolean
}

export const END = { done: true, value: undefined } as const

export function openPullStream<T>(source: Source<T>): { stream: PullStream<T>; more: () => void } {
  const stream = new SourcedStream(source)
  return { stream, more: () => stream.more() }
}

/** A waiting generator cannot be ended, so this is a class. */
class SourcedStream<T> implements PullStream<T> {
  readonly #source: Source<T>
  readonly #readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = []
  #listener = (): void => undefined

  constructor(source: Source<T>) {
    this.#source = source
  }

  get broken(): boolean {
    return this.#source.isBroken()
  }

  take(): IteratorResult<T, undefined> | null {
    return this.#source.take()
  }

  onMore(listener: () => void): void {
    this.#listener = listener
  }

  more(): void {
    this.#serve()
    this.#listener()
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const reader = Promise.withResolvers<IteratorResult<T, undefined>>()
    this.#readers.push(reader)
    this.#serve()
    return reader.promise
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#source.stop()
    this.#serve()
    return END
  }

  throw(): Promise<IteratorReturnResult<undefined>> {
    return this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #serve(): void {
    for (let reader = this.#readers[0]; reader !== undefined; reader = this.#readers[0]) {
      try {
        const next = this.#source.take()
        if (next === null) return
        reader.resolve(next)
      } catch (error) {
        reader.reject(error)
      }
      this.#readers.shift()
    }
  }
}
