import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/doctor/finding.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const TEXTS = ['The first of three.', 'The second of three.', 'The third of three.']

let service: TestRuntime
let database: TestDatabase
let restored: { DATABASE_URL: string; DATA_DIR: string }
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'silent' } })
  await applyEndpoint(service.runtime, 'quick')
  const { key } = await service.createCaller()
  await allFinished(
    service.runtime,
    await Promise.all(TEXTS.map((text) => submitText(service.url, key, 'quick', text))),
  )
  const backup = join(await makeTempDir(), 'backup')
  await sonantHere({ DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }, 'backup', backup)
  database = await createTestDatabase()
  restored = { DATABASE_URL: database.url, DATA_DIR: await makeTempDir() }
  await sonantHere(restored, 'restore', backup)
})
afterAll(async () => {
  await database.drop()
  await service.close()
  await cleanUp()
})

/** Doctor's findings about the content of the restored service. */
async function found(...checks: readonly string[]): Promise<Finding[]> {
  const { findings } = JSON.parse((await runHere(['doctor', '--json'], restored)).stdout) as { findings: Finding[] }
  return findings.filter(({ check }) => checks.includes(check))
}

describe('sonant doctor of a service that was restored with accounts, jobs and audio', () => {
  test('finds its records, its audio and its secrets in order', async () => {
    const findings = await found('SECRET_KEY', 'audio', 'records')
    expect(findings.map(({ check, severity, found: text }) => [check, severity, text]).toSorted()).toEqual([
      ['SECRET_KEY', 'ok', 'opens all 1 secrets of webhooks and servers'],
      ['audio', 'ok', `${TEXTS.length} sampled files are as their rows say`],
      ['records', 'ok', 'ledger, artifacts and queue agree'],
    ])
  })

  test('names a file that was removed since', async () => {
    const { rows } = await service.runtime.db.pool.query<{ key: string }>('select storage_key as key from artifact')
    const { key } = rows[0]!
    await rm(join(restored.DATA_DIR, 'artifacts', key))
    expect(await found('audio')).toMatchObject([
      { severity: 'error', found: `1 of ${TEXTS.length} sampled files: ${key} is missing` },
    ])
  })
})
