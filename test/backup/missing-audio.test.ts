import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepArtifacts } from '../../src/backup/artifacts.ts'
import { readSettings } from '../../src/context/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { dropOldAudio } from '../../src/jobs/retention/drop-old-jobs.ts'
import { openStore } from '../../src/runtime/foundation.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { newId } from '../../src/values/id.ts'
import { openLog } from '../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'
import { type S3Server, startS3Server } from '../setup/servers/s3-server.ts'

const LIST = { path: 'artifacts.ndjson.gz', bytes: 0, sha256: '' }
const BYTES = Buffer.from('audio')
const SHA256 = createHash('sha256').update(BYTES).digest()
const [OLD, YOUNG] = [new Date('2026-01-01'), new Date('2026-02-01')]
/** Between the two. */
const TODAY = new Date('2026-01-20')

describe.each(['a directory', 'a bucket'])('a backup of audio in %s', (place) => {
  let dir: string
  let s3: S3Server
  let database: TestDatabase
  let db: Database
  let storage: Storage
  let keys: string[]
  const settings = () =>
    readSettings({ DATA_DIR: join(dir, 'data'), ARTIFACT_RETENTION_DAYS: '1', ...(place === 'a bucket' ? s3.env : {}) })
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
    s3 = await startS3Server()
    database = await createTestDatabase()
    db = openDatabase(database.url, openLog('silent'))
    storage = openStore(settings())
    keys = await Promise.all([OLD, OLD, YOUNG].map(stored))
    await mkdir(join(dir, 'backup'))
    const lines = keys.map((key) =>
      JSON.stringify({ key, contentType: 'audio/wav', bytes: BYTES.length, sha256: SHA256.toString('hex') }),
    )
    await writeFile(join(dir, 'backup', LIST.path), gzipSync(lines.join('\n')))
  })
  afterEach(async () => {
    await db.close()
    await database.drop()
    await s3.close()
    await rm(dir, { recursive: true })
  })

  /** An output of a job that no test needs. */
  async function stored(at: Date): Promise<string> {
    const [id, job] = [newId('art', at), newId('job', at)]
    const key = `${job}/1/audio.wav`
    await storage.put(key, BYTES, { contentType: 'audio/wav' })
    const client = await db.pool.connect()
    await client.query('begin; set local session_replication_role = replica')
    await client.query(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256) values ($1, $2, 'audio', $3, 'audio/wav', $4, $5)`,
      [id, job, key, BYTES.length, SHA256],
    )
    await client.query('commit')
    client.release()
    return key
  }

  test('passes over what retention deletes meanwhile, and has not noted yet', async () => {
    const [deleted, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let deletions = 0
    const slow: Storage = {
      ...storage,
      delete: async (key) => {
        await storage.delete(key)
        if (++deletions === 2) deleted.resolve()
        await asked.promise
      },
    }
    const purge = dropOldAudio({ db, storage: slow, settings: settings(), now: () => TODAY })
    await deleted.promise
    let questions = 0
    const query = async (...given: [string, unknown[]]) => {
      const answer = await db.pool.query(...given)
      // Once for each that is missing, and once more for both.
      if (++questions === 3) asked.resolve()
      return answer
    }
    const kept = await keepArtifacts({ db: { pool: { query } as never }, storage }, join(dir, 'backup'), LIST).finally(
      asked.resolve,
    )
    await purge
    expect(kept).toMatchObject({ files: 1, bytes: BYTES.length })
    expect(kept.gone.toSorted()).toEqual(keys.slice(0, 2).toSorted())
    expect(await readdir(join(dir, 'backup', 'artifacts'), { recursive: true })).toContain(keys[2])
  })

  test('breaks off where audio is missing that nothing deletes, and names it', async () => {
    await storage.delete(keys[0]!)
    await expect(keepArtifacts({ db, storage, longestWaitMs: 0 }, join(dir, 'backup'), LIST)).rejects.toThrow(
      `The audio ${keys[0]} is not in the store, and nothing has deleted it by the database. The backup was broken off.`,
    )
  })
})
