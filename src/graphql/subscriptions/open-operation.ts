import { END } from '../../concurrency/pull-stream.ts'

export interface OpenOperation {
  readonly signal: AbortSignal
  readonly handle: AsyncGenerator<never, undefined>
  /** Never settles once the operation is completed: graphql-ws would take a late answer for the next operation with that id. */
  unlessCompleted<Answer>(answer: Answer): Answer | Promise<never>
  follow<Answer>(answers: AsyncIterator<Answer, undefined>): AsyncGenerator<Answer, undefined>
}

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
