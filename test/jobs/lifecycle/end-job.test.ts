import { expect, test, vi } from 'vitest'
import { endJob } from '../../../src/jobs/lifecycle/end-job.ts'
import type { EndingParts } from '../../../src/jobs/lifecycle/job-end.ts'
import { newId } from '../../../src/values/id.ts'

test('an end whose commit fails gives its delivery up', async () => {
  const made = { committed: vi.fn(), abandoned: vi.fn() }
  const client = {
    query: async (sql: unknown) => {
      if (sql === 'commit') throw new Error('the commit failed')
      return { rows: [{ webhook_url: 'https://receiver.example' }] }
    },
    release: () => undefined,
  }
  const db = { pool: { connect: async () => client } }
  const parts = { db, deliveries: { create: async () => made } } as unknown as EndingParts
  await expect(endJob(parts, { accountId: 'a', jobId: newId('job') })).rejects.toThrow('the commit failed')
  expect([made.abandoned.mock.calls.length, made.committed.mock.calls.length]).toEqual([1, 0])
})
