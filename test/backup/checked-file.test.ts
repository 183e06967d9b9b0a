import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/values/id.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { canMount } from '../setup/processes/mounts.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const BYTES = 4 * 1_048_576
/** Room for the tables of a new installation, and not for that. */
const SCRIPT = 'mount -t tmpfs -o size=1M none "$1" && exec "$2" bin/sonant.js backup "$1/backup"'

let service: TestRuntime
let place: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  place = await mkdtemp(join(tmpdir(), 'sonant-full-'))
})
afterAll(async () => {
  await service.close()
  await rm(place, { recursive: true })
})

test.skipIf(!canMount())(
  'a backup onto a disk without room says which file was too much, and not that its audio is lost',
  async () => {
    const { db, storage, settings } = service.runtime
    const job = await insertJob(db, await service.createAccount(), { status: 'completed' })
    const key = `${job}/1/audio.wav`
    const { bytes, sha256 } = await storage.put(key, randomBytes(BYTES), { contentType: 'audio/wav' })
    await db.pool.query(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256) values ($1, $2, 'speech', $3, 'audio/wav', $4, $5)`,
      [newId('art'), job, key, bytes, sha256],
    )
    const env = { ...process.env, DATABASE_URL: settings.databaseUrl ?? '', DATA_DIR: service.dataDir }
    const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', SCRIPT, 'sh', place, process.execPath], { env })
    expect([status, String(stderr)]).toEqual([
      1,
      `${place}/backup/artifacts/${key} cannot be written: the file system is full. The backup was broken off.\n`,
    ])
  },
)
