/**
 * What comes bit by bit: taken by the reader that is notified of more, with no promise for each, or read as any async iterator. One of
 * both.
 */
export interface PullStream<T> extends AsyncIterableIterator<T, undefined> {
  /** What comes next, if it is there; null if not yet. @throws what the stream broke off with, once */
  take(): IteratorResult<T, undefined> | null
  /** Called whenever there may be something to take. One listener at a time. */
  onMore(listener: () => void): void
  /** It has broken off: nothing that it brought before matters any more. */
  readonly broken: boolean
  return(): Promise<IteratorReturnResult<undefined>>
}

/** Where a stream has it from. */
interface Source<T> {
  take(): IteratorResult<T, undefined> | null
  /** The reader takes no more. Called once or more. */
  stop(): void
  isBroken(): boolean
}

export const END = { done: true, value: undefined } as const

/** `more` has to be called whenever there may be something to take. */
export function openPullStream<T>(source: Source<T>): { stream: PullStream<T>; more: () => void } {
  const stream = new SourcedStream(source)
  return { stream, more: () => stream.more() }
}

/** No generator: one that waits for its next value could not be ended before that comes. */
class SourcedStream<T> implements PullStream<T> {
  readonly #source: Source<T>
  /** Reads that wait for what comes next. */
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
