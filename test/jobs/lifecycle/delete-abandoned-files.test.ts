import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { type Claim, claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { deleteAbandonedFiles } from '../../../src/jobs/lifecycle/produce.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { openS3 } from '../../../src/storage/s3.ts'
import { parseS3Url } from '../../../src/storage/s3-url.ts'
import { audit } from '../../setup/audit/audit.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { S3_CREDENTIALS, type S3Server, startS3Server } from '../../setup/servers/s3-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { toneFor } from '../../setup/speech/stand-in-engine.ts'

let service: TestRuntime
let s3: S3Server
beforeAll(async () => {
  service = await startTestRuntime()
  s3 = await startS3Server()
  await applyEndpoint(service.runtime, 'abandoned', { pool: 'unserved' })
})
afterAll(async () => {
  await s3.close()
  await service.close()
})

const stores = {
  'a directory': () => service.runtime.storage,
  'a bucket': () => openS3(parseS3Url(s3.storageUrl), S3_CREDENTIALS),
}

describe.each(Object.entries(stores))('deleteAbandonedFiles in %s', (_name, openStore) => {
  const prepare = async () => {
    const parts = { ...service.runtime, storage: openStore() }
    const { key } = await service.createCaller()
    const id = await submitText(service.url, key, 'abandoned', 'Is this kept?')
    const claim = async () => (await claimJob(parts, id)) as Claim
    const store = async ({ attempt }: Claim) => {
      const storageKey = `${id}/${attempt}/audio.wav`
      const stored = await parts.storage.put(storageKey, toneFor('x'), { contentType: 'audio/wav' })
      return { output: 'audio', storageKey, contentType: 'audio/wav', durationMs: 1, ...stored }
    }
    const sizeOf = (attempt: number) =>
      parts.storage.stat(`${id}/${attempt}/audio.wav`).then((file) => file?.bytes ?? null)
    return { parts, id, claim, store, sizeOf }
  }

  test('what a worker stored that died before it committed is deleted, while the next one stores and completes', async () => {
    const { parts, id, claim, store, sizeOf } = await prepare()
    await store(await claim())
    expect(await deleteAbandonedFiles(parts, 0)).toBe(0)
    expect(await sizeOf(1)).not.toBeNull()
    const second = await claim()
    const artifact = await store(second)
    // The worker of the first attempt may be storing still.
    expect(await deleteAbandonedFiles(parts)).toBe(0)
    expect(await sizeOf(1)).not.toBeNull()
    expect(await deleteAbandonedFiles(parts, 0)).toBe(1)
    expect([await sizeOf(1), await sizeOf(2)]).toEqual([null, artifact.bytes])
    expect(await completeJob(parts, second, [artifact])).toBe(true)
    expect(await deleteAbandonedFiles(parts, 0)).toBe(0)
    expect(await sizeOf(2)).toBe(artifact.bytes)
    expect(await audit(parts, [id])).toEqual([])
    await service.runtime.db.pool.query('delete from artifact')
    await service.runtime.db.pool.query(`delete from job`)
  })

  test('so is what was stored for a job that is cancelled then', async () => {
    const { parts, id, claim, store, sizeOf } = await prepare()
    await store(await claim())
    await cancelJob(parts.as({ kind: 'system' }), { jobId: id })
    expect(await deleteAbandonedFiles(parts, 0)).toBe(1)
    expect(await sizeOf(1)).toBeNull()
    expect(await deleteAbandonedFiles(parts, 0)).toBe(0)
  })
})
