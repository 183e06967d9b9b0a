import { END } from '../../concurrency/pull-stream.ts'

/** One operation of a socket, from its message to its last answer. */
export interface OpenOperation {
  /** Aborted when the caller completes the operation, or disconnects. */
  readonly signal: AbortSignal
  /** For graphql-ws to keep while the operation has no stream of its own: it ends what it keeps. */
  readonly handle: AsyncGenerator<never, undefined>
  /**
   * An answer, unless the operation was completed: then none ever. graphql-ws knows operations by their ids alone, and would take what
   * comes late for the answer of the next operation with that id, and an end for the end of that one.
   */
  unlessCompleted<Answer>(answer: Answer): Answer | Promise<never>
  /** A subscription's answers, for graphql-ws to read and to end; they have to end with `signal`. */
  follow<Answer>(answers: AsyncIterator<Answer, undefined>): AsyncGenerator<Answer, undefined>
}

/** An operation that a client has just sent over a socket. */
export function openOperation(): OpenOperation {
  const completed = new AbortController()
  const end = async () => {
    completed.abort()
    return END
  }
  const unlessCompleted = <Answer>(answer: Answer): Answer | Promise<never> =>
    completed.signal.aborted ? new Promise<never>(() => undefined) : answer
  const generatorOf = <Answer>(next: () => Promise<IteratorResult<Answer, undefined>>) => {
    const generator: AsyncGenerator<Answer, undefined> = {
      ...{ next, return: end, throw: end },
      [Symbol.asyncIterator]: () => generator,
      [Symbol.asyncDispose]: async () => completed.abort(),
    }
    return generator
  }
  return {
    signal: completed.signal,
    handle: generatorOf<never>(end),
    unlessCompleted,
    follow: (answers) => generatorOf(async () => unlessCompleted(await answers.next())),
  }
}
