import { END, openPullStream, type PullStream } from '../../concurrency/pull-stream.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Job } from '../job-shape.ts'

/** Different jobs that may wait for a slow reader. Of each only its latest state does. */
const MAX_WAITING_JOBS = 1000

/** The states of jobs as a subscriber reads them, one after the other. A state is one object for all that follow the job. */
export type JobStates = PullStream<Job>

/** What fills a stream. */
export interface JobStream {
  readonly states: JobStates
  /** A newer state of a job replaces one that is not read yet. */
  push(job: Job): void
  /** What waits is still read. */
  finish(): void
  /** Ends it at once. */
  fail(error: ServiceError): void
}

/** A stream with a bounded buffer: a reader that falls too far behind is disconnected. `onEnd` is called once, however it ends. */
export function openJobStream(onEnd: () => void): JobStream {
  const waiting = new Map<string, Job>()
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
  const take = (): IteratorResult<Job, undefined> | null => {
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
  const push = (job: Job): void => {
    if (ended) return
    waiting.set(job.id, job)
    if (waiting.size > MAX_WAITING_JOBS) fail(tooSlow())
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
  new ServiceError('UNAVAILABLE', 'Subscribe again, and read faster: too many changes were waiting.')
