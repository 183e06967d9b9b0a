import { ServiceError } from '../errors.ts'
import type { JobRecord } from './job-record.ts'
import type { JobSummary } from './job-view.ts'

/** Different jobs that may wait for a slow reader. Of each only its latest state does. */
const MAX_WAITING_JOBS = 1000

/** A job at one moment: the same object for all who follow it. */
export interface JobState extends JobSummary {
  readonly record: JobRecord
}

/** The states of jobs as somebody reads them, one after the other. */
export type JobStates = AsyncIterableIterator<JobState, undefined>

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
  const readers: PromiseWithResolvers<IteratorResult<JobState, undefined>>[] = []
  let failure: ServiceError | null = null
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    onEnd()
  }
  const answer = (reader: (typeof readers)[number]): boolean => {
    const [first] = waiting
    if (first !== undefined) {
      waiting.delete(first[0])
      reader.resolve({ done: false, value: first[1] })
    } else if (failure !== null) {
      reader.reject(failure)
      failure = null
    } else if (ended) reader.resolve({ done: true, value: undefined })
    else return false
    return true
  }
  const serve = (): void => {
    while (readers[0] !== undefined && answer(readers[0])) readers.shift()
  }
  const fail = (error: ServiceError): void => {
    if (ended) return
    waiting.clear()
    failure = error
    end()
    serve()
  }
  const stop = async (): Promise<IteratorReturnResult<undefined>> => {
    waiting.clear()
    failure = null
    end()
    serve()
    return { done: true, value: undefined }
  }
  // No generator: one that waits for its next value could not be ended before that comes.
  const states: JobStates = {
    next: () => {
      const reader = Promise.withResolvers<IteratorResult<JobState, undefined>>()
      readers.push(reader)
      serve()
      return reader.promise
    },
    return: stop,
    throw: stop,
    [Symbol.asyncIterator]: () => states,
  }
  return {
    states,
    push: (state) => {
      if (ended) return
      waiting.set(state.jobId, state)
      if (waiting.size > MAX_WAITING_JOBS) fail(tooSlow())
      serve()
    },
    finish: () => {
      end()
      serve()
    },
    fail,
  }
}

const tooSlow = () =>
  new ServiceError('UNAVAILABLE', 'Subscribe again, and read faster: too many changes were waiting.')
