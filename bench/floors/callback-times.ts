import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { now, watchStatements } from './watch-statements.ts'

// Loaded before the service: notes the statements that end a job with its delivery, and when the head of a request is written. Each thread
// writes them to a file of TIMES_DIR when it ends.

/** Milliseconds since 1970, with fractions: the same in every process. */
export interface CallbackTimes {
  /** When the service read what it signs. */
  readonly reads: Span[]
  /** When the transaction that ends the jobs inserted their deliveries. */
  readonly writes: Span[]
  readonly heads: number[]
}

interface Span {
  readonly begun: number
  readonly answered: number
}

const times: CallbackTimes = { reads: [], writes: [], heads: [] }

watchStatements(/^(signed_jobs|create_deliveries)$/, ({ name, begun, answered }) => {
  const spans = name === 'signed_jobs' ? times.reads : times.writes
  spans.push({ begun, answered })
})
subscribe('undici:client:sendHeaders', () => times.heads.push(now()))
process.once('exit', () => {
  writeFileSync(join(process.env.TIMES_DIR!, `${process.pid}-${threadId}.json`), JSON.stringify(times))
})
