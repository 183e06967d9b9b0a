import { afterEach, describe, expect, test } from 'vitest'
import type { Catalog, CatalogSnapshot } from '../../src/context/catalog-snapshot.ts'
import { synthesize } from '../../src/voice/synthesize.ts'
import { applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'

const NEVER = new AbortController().signal

describe('a worker whose catalog is older than the job', () => {
  let service: TestRuntime
  afterEach(() => service.close())

  const submitted = async () => {
    service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
    const before = service.runtime.catalog.current
    await applyEndpoint(service.runtime, 'fresh')
    const { key } = await service.createCaller()
    return { before, key, jobId: await submitText(service.url, key, 'fresh', 'Just made.') }
  }
  /** The parts of a worker that has not heard of a change yet. */
  const behind = (known: CatalogSnapshot, reload: () => Promise<void>) => {
    let told = false
    const catalog: Catalog = {
      get current() {
        return told ? service.runtime.catalog.current : known
      },
      isLoaded: true,
      recordingOf: service.runtime.catalog.recordingOf,
      reload: async () => {
        await reload()
        told = true
      },
    }
    return { ...service.runtime, catalog, engines: standInEngines(() => undefined) }
  }

  test('looks again before it says that an endpoint was deleted', async () => {
    const { before, key, jobId } = await submitted()
    await synthesize(behind(before, service.runtime.catalog.reload), jobId, NEVER)
    expect(await readJob(service.url, key, jobId)).toMatchObject({ status: 'completed' })
  })

  test('looks again before it says that a voice was deleted', async () => {
    const { key } = await submitted()
    const before = service.runtime.catalog.current
    const voices = [{ slug: 'newcomer', name: 'Newcomer', kind: 'preset', engine_voice: 'en-us+f3' }]
    await applyEndpoint(service.runtime, 'fresh', {}, { voices })
    const jobId = await submitText(service.url, key, 'fresh', 'By the newcomer.', 'newcomer')
    await synthesize(behind(before, service.runtime.catalog.reload), jobId, NEVER)
    expect(await readJob(service.url, key, jobId)).toMatchObject({ status: 'completed' })
  })

  test('has the job delivered again where the catalog cannot be read', async () => {
    const { before, key, jobId } = await submitted()
    const parts = behind(before, () => Promise.reject(new Error('no answer')))
    await expect(synthesize(parts, jobId, NEVER)).rejects.toThrow('could not be looked up')
    expect(await readJob(service.url, key, jobId)).toMatchObject({ status: 'processing' })
  })

  test('fails the job of an endpoint that is deleted indeed', async () => {
    const { before, key, jobId } = await submitted()
    await service.runtime.db.prisma.voiceEndpoint.delete({ where: { slug: 'fresh' } })
    await synthesize(behind(before, service.runtime.catalog.reload), jobId, NEVER)
    expect(await readJob(service.url, key, jobId)).toMatchObject({ status: 'failed', error_code: 'RENDER_FAILED' })
  })
})
