import { setTimeout as after } from 'node:timers'
import { ServiceError, unavailable } from '../../errors/service-error.ts'

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

/** Lets exports in one after the other, in this process, accounts in turn. */
export interface ExportQueue {
  /**
   * Waits for its turn to read. A caller that goes away while it waits leaves its place at once.
   * @throws RATE_LIMITED for an account with too many open exports, UNAVAILABLE when all are too many or the turn does not come, the
   * signal's reason
   */
  enter(accountId: string, gone?: AbortSignal): Promise<ExportPass>
}

export function openExportQueue(): ExportQueue {
  const open = new Map<string, number>()
  const turns = openTurns()
  let all = 0

  const leaveAccount = (accountId: string) => {
    all--
    const left = (open.get(accountId) ?? 1) - 1
    if (left === 0) open.delete(accountId)
    else open.set(accountId, left)
  }
  return {
    enter: async (accountId, gone) => {
      const mine = open.get(accountId) ?? 0
      if (mine >= MAX_OPEN_PER_ACCOUNT) throw tooManyOpen()
      if (all >= MAX_OPEN) throw unavailable('too many exports are open')
      all++
      open.set(accountId, mine + 1)
      try {
        const doneReading = once(await turns.take(accountId, gone))
        return { doneReading, leave: once(() => [doneReading(), leaveAccount(accountId)]) }
      } catch (error) {
        leaveAccount(accountId)
        throw error
      }
    },
  }
}

/** So many read at a time; the account that has waited longest since its last turn is next, however many it has waiting. */
function openTurns() {
  const waiting = new Map<string, (() => void)[]>()
  let reading = 0

  const next = () => {
    const [first] = waiting
    if (first === undefined || reading >= MAX_READING) return
    const [accountId, [start, ...others]] = first
    waiting.delete(accountId)
    if (others.length > 0) waiting.set(accountId, others)
    reading++
    start?.()
  }
  const leave = (accountId: string, start: () => void) => {
    const others = waiting.get(accountId)?.filter((other) => other !== start) ?? []
    if (others.length > 0) waiting.set(accountId, others)
    else waiting.delete(accountId)
  }
  const done = () => {
    reading--
    next()
  }
  const take = (accountId: string, gone?: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      gone?.throwIfAborted()
      const stopWaiting = () => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', giveUp)
      }
      const start = () => {
        stopWaiting()
        resolve(done)
      }
      const giveUp = () => {
        stopWaiting()
        leave(accountId, start)
        reject(gone?.aborted ? gone.reason : unavailable('other exports are still reading'))
      }
      const timer = after(giveUp, LONGEST_WAIT_MS)
      gone?.addEventListener('abort', giveUp)
      waiting.set(accountId, [...(waiting.get(accountId) ?? []), start])
      next()
    })
  return { take }
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
