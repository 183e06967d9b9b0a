import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import type { Database } from '../../src/db/database.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
let dir: string
beforeAll(async () => {
  service = await startTestRuntime()
  dir = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
})
afterAll(async () => {
  await service.close()
  await rm(dir, { recursive: true })
})

const LIMIT = `select current_setting('idle_in_transaction_session_timeout') as "limit"`

test('no limit of idle time ends the session of a backup, whose disk may be slow', async () => {
  const { db } = service.runtime
  const limits: string[] = []
  const names: unknown[] = []
  const connect: Database['watched']['connect'] = async (options) => {
    const client = await db.watched.connect(options)
    names.push(options.application_name)
    const query = client.query.bind(client)
    const asked = async (text: string) => {
      limits.push((await query<{ limit: string }>(LIMIT)).rows[0]!.limit)
      return query(text)
    }
    return Object.assign(client, {
      query: (what: never) => (String(what).startsWith('lock table') ? asked(what) : query(what)),
    })
  }
  await backUp({ ...service.runtime, db: { ...db, watched: { connect } } }, join(dir, 'idle'))
  expect(limits).toEqual(['0'])
  // A search for long transactions recognises the backup by this name.
  expect(names).toEqual(['sonant backup'])
})
