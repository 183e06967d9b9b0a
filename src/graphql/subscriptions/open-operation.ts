/** One operation of a socket, from its message to its last answer. */
interface OpenOperation {
  /** Aborted when the caller completes the operation, or is gone. */
  readonly signal: AbortSignal
  /** For graphql-ws to keep while the operation is no stream of its own: it ends what it keeps. */
  readonly handle: AsyncGenerator<never, undefined>
}

/**
 * An answer, unless its operation was completed: then none for good. graphql-ws knows operations by their ids alone, and would take what
 * comes late for the answer of the next one with that id, and that one for over.
 */
export const unlessCompleted = <T>(signal: AbortSignal, answer: T): T | Promise<never> =>
  signal.aborted ? new Promise<never>(() => undefined) : answer

export function openOperation(): OpenOperation {
  const gone = new AbortController()
  const end = async () => {
    gone.abort()
    return { done: true, value: undefined } as const
  }
  const handle: AsyncGenerator<never, undefined> = {
    next: end,
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => handle,
    [Symbol.asyncDispose]: async () => gone.abort(),
  }
  return { signal: gone.signal, handle }
}
