import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import type { EndedJob } from '../notes/note-end.ts'
import { completeJobs } from './end-job.ts'
import type { Completion, EndingParts } from './job-end.ts'

const MAX_JOBS = 32

/** A job that waits longer for its locks goes alone. */
const HELD_UP = { longestWaitMs: 250 }

export interface JobBatches {
  /** @throws the error of any job in the batch */
  readonly completions: BatchedCalls<Completion, EndedJob | null>
}

export interface BatchParts extends EndingParts {
  readonly batches: JobBatches
}

export const openJobBatches = ({ db, now }: Pick<Parts, 'db' | 'now'>): JobBatches => ({
  completions: new BatchedCalls(MAX_JOBS, (done: readonly Completion[]) => completeJobs(db, done, now()), HELD_UP),
})
