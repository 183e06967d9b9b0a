import { ServiceError } from '../errors/service-error.ts'
import { END, openPullStream, type PullStream } from './pull-stream.ts'

const MAX_WAITING = 1000

export interface Identified {
  readonly id: string
}

export interface LatestStream<T extends Identified> {
  readonly states: PullStream<T>
  push(state: T): void
  /** Lets the subscriber read the waiting states first. */
  finish(): void
  fail(error: ServiceError): void
}

/** A reader that falls too far behind is disconnected. `onEnd` is called once. */
export function openLatestStream<T extends Identified>(onEnd: () => void): LatestStream<T> {
  const waiting = new Map<string, T>()
  let failure: ServiceError | null = null
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    onEnd()
  }
  const abandon = (error: ServiceError | null): void => {
    waiting.clear()
    failure = error
    end()
  }
  const take = (): IteratorResult<T, undefined> | null => {
    const next = takeFirst(waiting)
    if (next !== undefined) return { done: false, value: next }
    if (failure === null) return ended ? END : null
    const error = failure
    failure = null
    throw error
  }
  const { stream, more } = openPullStream({ take, stop: () => abandon(null), isBroken: () => failure !== null })
  const fail = (error: ServiceError): void => {
    if (ended) return
    abandon(error)
    more()
  }
  const push = (state: T): void => {
    if (ended) return
    waiting.set(state.id, state)
    if (waiting.size > MAX_WAITING) fail(tooSlow())
    else more()
  }
  const finish = (): void => {
    end()
    more()
  }
  return { states: stream, push, finish, fail }
}

function takeFirst<Key, Value>(waiting: Map<Key, Value>): Value | undefined {
  for (const [key, value] of waiting) {
    waiting.delete(key)
    return value
  }
  return undefined
}

const tooSlow = () =>
  new ServiceError('UNAVAILABLE', 'The subscription ended because the client read too slowly: subscribe again.')
