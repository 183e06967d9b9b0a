import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimJob, openClaimRegistry } from '../../../src/jobs/lifecycle/claim-job.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

/** A job that no worker takes, and the registry of a process that claims it. */
async function submitted() {
  const { key } = await service.createCaller()
  const jobId = await submitText(service.url, key, 'tts', 'Claimed twice.', 'aria')
  const registry = openClaimRegistry(service.runtime.db)
  const claim = async () => (await claimJob(service.runtime, jobId))!
  const isOwned = async () => (await registry.stillOwned([jobId])).has(jobId)
  return { jobId, registry, claim, isOwned }
}

test('a job that is claimed here again counts as owned before its claim is answered', async () => {
  const { jobId, registry, claim, isOwned } = await submitted()
  const earlier = await registry.taking(jobId, claim())
  const answered = Promise.withResolvers<void>()
  const again = claim()
  const taking = registry.taking(
    jobId,
    again.then(async (taken) => {
      await answered.promise
      return taken
    }),
  )
  await again
  expect(await isOwned()).toBe(true)
  answered.resolve()
  await taking
  registry.forget(earlier)
  expect(await isOwned()).toBe(true)
  await claim()
  expect(await isOwned()).toBe(false)
})

test('a claim that brings nothing, or fails, leaves the earlier one noted', async () => {
  const { jobId, registry, claim, isOwned } = await submitted()
  await registry.taking(jobId, claim())
  expect(await registry.taking(jobId, Promise.resolve(null))).toBeNull()
  await expect(registry.taking(jobId, Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await isOwned()).toBe(true)
  await claim()
  expect(await isOwned()).toBe(false)
})
