import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import { newId } from '../values/id.ts'
import { type Check, error, ok } from './finding.ts'

const CHANNEL = 'sonant_doctor'
const LONGEST_WAIT_MS = 5_000
const REMEDY = 'let DIRECT_DATABASE_URL, or DATABASE_URL, lead to the same server past any pooler in transaction mode'

/** Without notifications processes find work only by polling, seconds later. */
export const notificationCheck: Check<Context> = {
  check: 'notifications',
  run: async ({ db, notifier }) => {
    if (!notifier.connected) return [error('the connection that listens is lost', REMEDY)]
    const [own, over] = [newId('msg'), new AbortController()]
    const heard = Promise.withResolvers<boolean>()
    const unlisten = await notifier.listen(CHANNEL, (payload) => {
      if (payload === own) heard.resolve(true)
    })
    try {
      const sent = performance.now()
      await db.pool.query('select pg_notify($1, $2)', [CHANNEL, own])
      const late = wait(LONGEST_WAIT_MS, false, { signal: over.signal }).catch(() => false)
      const took = await Promise.race([heard.promise, late]).then((isHeard) => isHeard && performance.now() - sent)
      if (took === false) return [error(`one did not arrive within ${LONGEST_WAIT_MS / 1000} s`, REMEDY)]
      return [ok(`one arrived after ${took.toFixed(0)} ms`)]
    } finally {
      over.abort()
      unlisten()
    }
  },
}
