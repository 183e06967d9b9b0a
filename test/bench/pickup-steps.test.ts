import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PickupTimes, Statement } from '../../bench/floors/pickup-times.ts'
import { stepsOf } from '../../bench/pickup-steps.ts'

async function written(times: PickupTimes): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-steps-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, '1-0.json'), JSON.stringify(times))
  return directory
}

/** Job after job, a second each. @param claim the statement that claims it */
function timesOf(jobs: number, claim: string): PickupTimes {
  const at = (name: string, begun: number, jobIds: string[] = []): Statement => ({
    name,
    begun,
    answered: begun + 1,
    jobIds,
  })
  const moments = Array.from({ length: jobs }, (_nothing, job) => job * 1000)
  const statements = moments.flatMap((moment) => [
    at('authenticate', moment + 1),
    at('insert_job', moment + 3, [`job_${moment}`]),
    at(claim, moment + 6, [`job_${moment}`]),
  ])
  return { requests: moments, notifications: moments.map((moment) => moment + 5), statements }
}

test('a run of which no claim was seen has no steps, and says how many jobs they leave out', async () => {
  const { measures, note } = await stepsOf('one process', await written(timesOf(30, 'claim_jobs')), 30)
  expect(measures).toEqual([])
  expect(note).toBe('one process: the steps leave out 30 of 30 jobs, 30 of them claimed by claim_jobs')
})

test('the steps of a job are in microseconds, from its POST to its claim', async () => {
  const { measures, note } = await stepsOf('one process', await written(timesOf(30, 'claim_queued_rows')), 31)
  const steps = Object.fromEntries(measures.map(({ what, value }) => [what, value]))
  expect(steps).toMatchObject({
    'one process, POST received to key looked up': 2000,
    'one process, commit answered to notification heard': 1000,
    'one process, claim begun to claimed': 1000,
    'one process, POST received to claimed': 7000,
    'one process, claimed by the commit that made them': 0,
  })
  expect(note).toBe('one process: the steps leave out 1 of 31 jobs, 0 of them claimed by claim_jobs')
})
