import { setTimeout as after } from 'node:timers'
import { ServiceError, unavailable } from '../errors.ts'

/** Exports that read from the database at the same time: more would only share its cores, and take them from the queue. */
const MAX_READING = 2
/** Exports of an account that are not yet downloaded to their end. */
const MAX_OPEN_PER_ACCOUNT = 12
const MAX_OPEN = 48
const LONGEST_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 10

/** Leave to export: `doneReading` lets the next one read, `leave` ends it. Both may be called more than once. */
export interface ExportPass {
  doneReading(): void
  leave(): void
}

/** Lets exports in one after the other, in this process. */
export interface ExportLane {
  /** Waits for its turn to read. @throws RATE_LIMITED for an account with too many open exports, UNAVAILABLE when all are too many */
  enter(accountId: string): Promise<ExportPass>
}

export function openExportLane(): ExportLane {
  const open = new Map<string, number>()
  const waiting: (() => void)[] = []
  let reading = 0
  let all = 0

  const next = () => {
    if (reading < MAX_READING && waiting.length > 0) {
      reading++
      waiting.shift()?.()
    }
  }
  const leaveAccount = (accountId: string) => {
    all--
    const left = (open.get(accountId) ?? 1) - 1
    if (left === 0) open.delete(accountId)
    else open.set(accountId, left)
  }
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = after(() => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(unavailable('other exports are still reading'))
      }, LONGEST_WAIT_MS)
      waiting.push(start)
      next()
    })

  return {
    enter: async (accountId) => {
      const mine = open.get(accountId) ?? 0
      if (mine >= MAX_OPEN_PER_ACCOUNT) throw tooManyOpen()
      if (all >= MAX_OPEN) throw unavailable('too many exports are open')
      all++
      open.set(accountId, mine + 1)
      await turn().catch((error: Error) => {
        leaveAccount(accountId)
        throw error
      })
      const doneReading = once(() => {
        reading--
        next()
      })
      return { doneReading, leave: once(() => [doneReading(), leaveAccount(accountId)]) }
    },
  }
}

const tooManyOpen = () =>
  new ServiceError('RATE_LIMITED', `Finish or close one of your ${MAX_OPEN_PER_ACCOUNT} open exports first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

function once(work: () => unknown): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
