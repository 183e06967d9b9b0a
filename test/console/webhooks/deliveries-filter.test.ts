import { expect, test } from 'vitest'
import { deliveriesFilterOf, hasFailed } from '../../../src/console/webhooks/deliveries-filter.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const JOB = 'job_01kamr9vxbe2p8h0ys5tq1zc12'

test('an address filters deliveries by states, outcomes, endpoints, a job and a time', () => {
  const query = {
    state: 'failed,pending',
    outcome: 'timeout,STATUS_503',
    endpoint: 'voice.tts',
    job: JOB,
    window: '1h',
  }
  expect(deliveriesFilterOf(query, NOW)).toEqual({
    filter: {
      states: ['PENDING', 'FAILED'],
      outcomes: ['timeout', 'status_503'],
      endpointKeys: ['voice.tts'],
      jobId: JOB,
      createdAt: { from: '2026-11-22T11:00:00.000Z' },
    },
    dropped: [],
  })
  expect(deliveriesFilterOf({ to: '2026-11-22T10:00Z' }, NOW).filter).toEqual({
    createdAt: { to: '2026-11-22T10:00:00.000Z' },
  })
})

test('what an address of deliveries names wrongly is left out and said', () => {
  const query = { state: 'lost', outcome: 'timeout,status_999', endpoint: '?', job: 'job_1', window: '2y', from: 'x' }
  expect(deliveriesFilterOf(query, NOW)).toEqual({
    filter: { outcomes: ['timeout'] },
    dropped: ['state', 'outcome', 'endpoint', 'job', 'window', 'from'],
  })
})

test('failed deliveries alone are sent again many at a time', () => {
  expect([{}, { states: ['PENDING', 'FAILED'] as const }, { states: ['SUCCEEDED'] as const }].map(hasFailedOf)).toEqual(
    [true, true, false],
  )
})

const hasFailedOf = ({ states }: { readonly states?: readonly ('PENDING' | 'FAILED' | 'SUCCEEDED')[] }) =>
  hasFailed(states ? { states: [...states] } : {})
