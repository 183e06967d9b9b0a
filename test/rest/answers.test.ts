import { expect, test } from 'vitest'
import { accepted } from '../../rest/answers.ts'
import type { Call } from '../../rest/operation.ts'

test.each([
  ['https://example.org', '/api/v1/jobs/job_1'],
  ['https://example.org/sonant', '/sonant/api/v1/jobs/job_1'],
])('of a service at %s, the location of a job is %s', (publicUrl, location) => {
  const call = { ctx: { publicUrl } } as unknown as Call
  expect(accepted('/jobs')({ jobId: 'job_1', status: 'queued', replayed: false }, call)).toMatchObject({
    headers: { location },
  })
})
