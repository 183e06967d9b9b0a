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
