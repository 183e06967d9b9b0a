import { BatchedCalls } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import type { EndedJob } from '../notes/note-end.ts'
import { completeJobs } from './end-job.ts'
import type { Completion, EndingParts } from './job-end.ts'

/** What a worker's jobs write together. Larger ones save little, and a row that fails them costs as many statements. */
const MAX_JOBS = 32

/** A job that must wait for its locks longer does so alone. */
const HELD_UP = { longestWaitMs: 250 }

/** The statements that jobs of one process share: a job alone goes out at once, those that come meanwhile make up the next batch. */
export interface JobBatches {
  /** The job that was completed; null leaves open why it was not. @throws what any job of the batch throws */
  readonly completions: BatchedCalls<Completion, EndedJob | null>
}

/** What claiming and completing a job needs. */
export interface BatchParts extends EndingParts {
  readonly batches: JobBatches
}

export const openJobBatches = ({ db, now }: Pick<Parts, 'db' | 'now'>): JobBatches => ({
  completions: new BatchedCalls(MAX_JOBS, (done: readonly Completion[]) => completeJobs(db, done, now()), HELD_UP),
})
