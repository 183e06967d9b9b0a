import type { Browser, BrowserContext } from 'playwright-core'
import type { TestRuntime } from '../../setup/runtime.ts'

/** The one service and browser that all journeys share. */
export interface OpenedConsole {
  readonly service: TestRuntime
  readonly browser: Browser
  readonly account: string
  /** Of the built files. */
  readonly folder: string
  /** Signed in as the owner, who is an operator as well. */
  readonly owner: BrowserContext
  /** The address of a screen. */
  readonly at: (path: string) => string
}

/** A delivery of a job's result that waits for its second attempt: its id, the account's and the job's. */
export const ADD_DELIVERY = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at)
  values ($1, $2, 'job', $3, 'https://hooks.example.com/sonant', 0, '', 1, now() + interval '1 hour', now())`
