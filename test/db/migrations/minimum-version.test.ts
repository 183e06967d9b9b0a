import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { VERSION } from '../../../src/values/program.ts'
import { call } from '../../setup/http.ts'
import { finishedJob, type VoiceJob } from '../../setup/jobs/fixtures.ts'
import { createTestDatabase } from '../../setup/postgres/database.ts'
import { describeSchema, migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const NEWER = '99.1.0'
/** How a later release says that it takes something away from this one. */
const CONTRACTING = `update installation set minimum_version = '${NEWER}';
alter table installation alter column minimum_version set default '${NEWER}';`
const REFUSAL = `The database was migrated for Sonant ${NEWER} or newer, and this is ${VERSION}: start that version, or restore a backup from before its migration.`
const log = openLog('silent')

let service: TestRuntime
let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'silent' } })
  workshop = await migrationWorkshop()
  env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir, PORT: '0' }
})
afterAll(async () => {
  await service?.close()
  await workshop?.close()
  await cleanUp()
})

const contract = async (db: TestRuntime['runtime']['db']) =>
  migrate(db, log, {
    folder: await workshop.write({ '29990101000000_contract': CONTRACTING }, Number.POSITIVE_INFINITY),
  })

describe('a schema that a newer version has migrated, and that this one cannot serve', { timeout: 120_000 }, () => {
  test('is refused by every role and command in one sentence, and stays as it is; what runs goes on', async () => {
    const { key } = await service.createCaller()
    const { db } = service.runtime
    await contract(db)
    const seen = async () => [
      await describeSchema(db),
      (await db.pool.query('select id from worker union all select migration_name from _prisma_migrations order by 1'))
        .rows,
    ]
    const before = await seen()
    for (const role of ['start', 'serve', 'work']) {
      const { code, stdout, stderr } = await run([role], env)
      expect([role, code, stdout, stderr]).toEqual([role, 1, '', `Sonant cannot start: ${REFUSAL}\n`])
    }
    const backup = join(await makeTempDir(), 'backup')
    for (const args of [['accounts', 'list'], ['backup', backup], ['migrate']]) {
      const { code, stdout, stderr } = await runHere(args, env)
      expect([args, code, stdout, stderr]).toEqual([args, 1, '', `${REFUSAL}\n`])
    }
    const diagnosed = await runHere(['doctor', '--json'], env)
    const { findings } = JSON.parse(diagnosed.stdout) as { findings: object[] }
    expect([diagnosed.code, findings.at(-1)]).toEqual([
      1,
      expect.objectContaining({ check: 'database', severity: 'error', found: REFUSAL.slice(0, -1) }),
    ])
    expect([existsSync(backup), await seen()]).toEqual([false, before])
    const body = { inputs: { text: 'Go on.', voice: 'aria' } }
    const made = await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key, body })
    const job = await finishedJob(service.url, key, made.json<VoiceJob>().job_id)
    expect(job.status).toBe('completed')
  })

  test('is refused before any program has opened it', async () => {
    const database = await createTestDatabase()
    const db = openDatabase(database.url, log)
    await contract(db)
    expect((await db.pool.query('select from installation')).rowCount).toBe(0)
    await expect(migrate(db, log)).rejects.toThrow(REFUSAL)
    await db.close()
    await database.drop()
  })
})
