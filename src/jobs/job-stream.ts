import { ServiceError } from '../errors.ts'
import { END, type Flow, openFlow } from '../flow.ts'
import type { JobRecord } from './job-record.ts'
import type { JobSummary } from './job-view.ts'

/** Different jobs that may wait for a slow reader. Of each only its latest state does. */
const MAX_WAITING_JOBS = 1000

/** A job at one moment: the same object for all who follow it. */
export interface JobState extends JobSummary {
  readonly record: JobRecord
}

/** The states of jobs as somebody reads them, one after the other. */
export type JobStates = Flow<JobState>

/** What fills a stream. */
export interface JobStream {
  readonly states: JobStates
  /** A newer state of a job replaces one that is not read yet. */
  push(state: JobState): void
  /** What waits is still read. */
  finish(): void
  /** Ends it at once. */
  fail(error: ServiceError): void
}

/** A stream with a bounded buffer: a reader that falls too far behind is sent away. `onEnd` is called once, however it ends. */
export function openJobStream(onEnd: () => void): JobStream {
  const waiting = new Map<string, JobState>()
  let failure: ServiceError | null = null
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    onEnd()
  }
  const take = (): IteratorResult<JobState, undefined> | null => {
    if (waiting.size > 0) {
      const [jobId, value] = waiting.entries().next().value as [string, JobState]
      waiting.delete(jobId)
      return { done: false, value }
    }
    if (failure === null) return ended ? END : null
    const error = failure
    failure = null
    throw error
  }
  const stop = (): void => {
    waiting.clear()
    failure = null
    end()
  }
  const { flow, more } = openFlow({ take, stop, isBroken: () => failure !== null })
  const fail = (error: ServiceError): void => {
    if (ended) return
    waiting.clear()
    failure = error
    end()
    more()
  }
  return {
    states: flow,
    push: (state) => {
      if (ended) return
      waiting.set(state.jobId, state)
      if (waiting.size > MAX_WAITING_JOBS) fail(tooSlow())
      else more()
    },
    finish: () => {
      end()
      more()
    },
    fail,
  }
}

const tooSlow = () =>
  new ServiceError('UNAVAILABLE', 'Subscribe again, and read faster: too many changes were waiting.')
