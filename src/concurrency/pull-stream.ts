/**
 * What comes bit by bit: taken by the reader that is notified of more, with no promise for each, or read as any async iterator. One of
 * both.
 */
export interface PullStream<T> extends AsyncIterableIterator<T, undefined> {
  /** What comes next, if it is there; null if not yet. @throws what the flow broke off with, once */
  take(): IteratorResult<T, undefined> | null
  /** Called whenever there may be something to take. One listener at a time. */
  onMore(listener: () => void): void
  /** It has broken off: nothing that it brought before matters any more. */
  readonly broken: boolean
  return(): Promise<IteratorReturnResult<undefined>>
}

/** Where a flow has it from. */
interface Spring<T> {
  take(): IteratorResult<T, undefined> | null
  /** The reader takes no more. Called once or more. */
  stop(): void
  isBroken(): boolean
}

export const END = { done: true, value: undefined } as const

/** `more` has to be called whenever there may be something to take. */
export function openPullStream<T>({ take, stop, isBroken }: Spring<T>): { flow: PullStream<T>; more: () => void } {
  const readers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = []
  let listener = (): void => undefined
  const serve = (): void => {
    for (let reader = readers[0]; reader !== undefined; reader = readers[0]) {
      try {
        const next = take()
        if (next === null) return
        reader.resolve(next)
      } catch (error) {
        reader.reject(error)
      }
      readers.shift()
    }
  }
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    stop()
    serve()
    return END
  }
  // No generator: one that waits for its next value could not be ended before that comes.
  const flow: PullStream<T> = {
    take,
    onMore: (told) => {
      listener = told
    },
    get broken() {
      return isBroken()
    },
    next: () => {
      const reader = Promise.withResolvers<IteratorResult<T, undefined>>()
      readers.push(reader)
      serve()
      return reader.promise
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => flow,
  }
  const more = (): void => {
    serve()
    listener()
  }
  return { flow, more }
}
