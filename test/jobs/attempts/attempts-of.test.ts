import { describe, expect, test } from 'vitest'
import { attemptsOf, hasStoredAttempts, type StoredAttempt } from '../../../src/jobs/attempts/show-attempts.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 26, 12, 0, second))
const JOB = { id: 'job_1', startedAt: at(1), completedAt: null, errorCode: null }
const stored = (number: number, fields: Partial<StoredAttempt> = {}): StoredAttempt => ({
  jobId: 'job_1',
  number,
  startedAt: at(number),
  endedAt: at(number + 1),
  ending: 'stopped',
  worker: `wrk_${number}`,
  cause: 'the worker is stopping',
  ...fields,
})
const open = { endedAt: null, ending: null, cause: null }
const seen = (...args: Parameters<typeof attemptsOf>) =>
  attemptsOf(...args).map(({ number, outcome, startedAt, endedAt, worker }) => [
    number,
    outcome,
    startedAt?.getSeconds() ?? null,
    endedAt?.getSeconds() ?? null,
    worker,
  ])

describe('the attempts at a job', () => {
  test('are none before a worker has taken it', () => {
    const job = { ...JOB, attempt: 0, status: 'queued', startedAt: null } as const
    expect([attemptsOf(job, []), hasStoredAttempts(job)]).toEqual([[], false])
  })

  test('are one as its own row has it, where it was taken once', () => {
    expect(seen({ ...JOB, attempt: 1, status: 'processing' }, [])).toEqual([[1, null, 1, null, null]])
    const done = { ...JOB, attempt: 1, status: 'completed', completedAt: at(3) } as const
    expect([seen(done, []), hasStoredAttempts(done)]).toEqual([[[1, 'completed', 1, 3, null]], false])
    const failed = { ...JOB, attempt: 1, status: 'failed', completedAt: at(3), errorCode: 'JOB_TIMEOUT' } as const
    const error = expect.stringContaining('time limit')
    expect(attemptsOf(failed, [])).toMatchObject([{ outcome: 'failed', error, hasFailedJob: true }])
  })

  test('are those that ended before, and then the one that runs or has ended the job', () => {
    const before = [stored(1), stored(2, { ending: 'worker_lost', cause: null })]
    const told = [
      [1, 'released', 1, 2, 'wrk_1'],
      [2, 'lost', 2, 3, 'wrk_2'],
    ]
    const last = stored(3, open)
    expect(seen({ ...JOB, attempt: 3, status: 'processing' }, [...before, last])).toEqual([
      ...told,
      [3, null, 3, null, 'wrk_3'],
    ])
    expect(seen({ ...JOB, attempt: 3, status: 'completed', completedAt: at(9) }, [...before, last])).toEqual([
      ...told,
      [3, 'completed', 3, 9, 'wrk_3'],
    ])
  })

  test('end with one that has ended, while the job waits again, and where it is then cancelled', () => {
    const waiting = { ...JOB, attempt: 1, status: 'processing' } as const
    expect([seen(waiting, [stored(1)]), hasStoredAttempts(waiting)]).toEqual([[[1, 'released', 1, 2, 'wrk_1']], true])
    const cancelled = { ...JOB, attempt: 1, status: 'failed', completedAt: at(9), errorCode: 'JOB_CANCELLED' } as const
    expect(seen(cancelled, [stored(1)])).toEqual([[1, 'released', 1, 2, 'wrk_1']])
  })

  test('show the job completed where a worker that seemed lost has completed it', () => {
    const job = { ...JOB, attempt: 1, status: 'completed', completedAt: at(5) } as const
    expect(seen(job, [stored(1, { ending: 'worker_lost' })])).toEqual([[1, 'completed', 1, 5, 'wrk_1']])
  })

  test('leave out one that began after the job was read, and those of which nothing is stored', () => {
    expect(seen({ ...JOB, attempt: 1, status: 'processing' }, [stored(1), stored(2, open)])).toHaveLength(1)
    const old = { ...JOB, attempt: 4, status: 'completed', completedAt: at(9) } as const
    expect(seen(old, [])).toEqual([[4, 'completed', null, 9, null]])
  })

  test('of an ending that a newer version has stored are lost', () => {
    const newer = stored(1, { ending: 'abducted' as never })
    expect(attemptsOf({ ...JOB, attempt: 2, status: 'processing' }, [newer])[0]).toMatchObject({ outcome: 'lost' })
  })
})
