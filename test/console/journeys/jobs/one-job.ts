import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { recordAttemptEnd } from '../../../../src/jobs/attempts/record-attempt-end.ts'
import { claimJob } from '../../../../src/jobs/lifecycle/claim-job.ts'
import { recordRelease } from '../../../../src/jobs/lifecycle/record-outcome.ts'
import { notifyJob } from '../../../../src/jobs/live/notify-job.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { ADD_DELIVERY, type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const TEXT = "It's copied as it was spoken."
const STOPPED = { ending: 'stopped', cause: 'the worker is stopping' } as const
const END_DELIVERY =
  "update webhook_delivery set state = 'failed', outcome = 'timeout', finished_at = now() where id = $1"

const TRUE_CAUSE = 'connect ECONNREFUSED 10.0.0.7:8000'
/** Seven of them, two seconds each; the last has failed the job. */
const ADD_ATTEMPTS = `insert into job_attempt (job_id, attempt, started_at, ended_at, ending, worker, cause)
  select j.id, n, j.created_at + (n - 1) * interval '2 s', case when n < 7 then j.created_at + n * interval '2 s' end,
    case when n < 7 then 'worker_lost' end, 'wrk_01m8aaaaaaaaaaaaaaaaaaaaaa', case when n < 7 then $2 end
  from job j, generate_series(1, 7) n where j.id = $1`

/** Journeys through the actions on one job's page. */
export function oneJobJourneys(opened: () => OpenedConsole): void {
  test('a job says which user has spoken it, and its request is copied as curl: with what this tab has spoken, else with what is to be filled in', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await owner.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
    await page.goto(at('playground?endpoint=tts'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT)
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    await page.getByRole('link', { name: 'Open the job' }).first().click()
    const hint = page.getByText('Fill in what is in capitals')
    expect(await copied(page)).toMatchObject({ inputs: { text: TEXT, voice: 'aria' } })
    expect(await hint.count()).toBe(0)
    await page.getByText(/^the console, by .owner@example\.com.$/).waitFor()
    await page.reload()
    await hint.waitFor()
    expect([await copied(page), await flaws(page, 'one-job'), complaints]).toEqual([
      { inputs: { text: 'TEXT', voice: 'VOICE' } },
      [],
      [],
    ])
    await owner.clearPermissions()
    await page.close()
  })

  test('the timeline of a job says what became of its earlier attempts, where there were any', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const failed = { status: 'failed' } as const
    const [once, often] = [await insertJob(db, account, failed), await insertJob(db, account, failed)]
    const taken = 'update job set started_at = created_at, attempt = $2, hand_backs = $3 where id = $1'
    await db.pool.query(taken, [once, 1, 0])
    await db.pool.query(taken, [often, 4, 2])
    const { page, complaints } = await openPage(owner, service.url)
    const timeline = page.locator('.timeline')
    for (const path of ['jobs', 'operator/jobs']) {
      await page.goto(at(`${path}/${often}`))
      await timeline.getByText('4 attempts').waitFor()
      await timeline.getByText('2 released by their workers, 1 without a result').waitFor()
    }
    expect(await flaws(page)).toEqual([])
    await page.goto(at(`jobs/${once}`))
    await timeline.getByText('Failed').waitFor()
    expect([await timeline.getByText('attempts').count(), complaints]).toEqual([0, []])
    await page.close()
  })

  test('the timeline of a job that runs follows what its worker gives back', async () => {
    const { service, owner, account: accountId, at } = opened()
    const { db } = service.runtime
    const jobId = await insertJob(db, accountId, { status: 'processing' })
    await db.pool.query('update job set started_at = created_at, attempt = 1 where id = $1', [jobId])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs/${jobId}`))
    await page.locator('.timeline').waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    await recordRelease(service.runtime, { jobId, accountId, attempt: 1 }, STOPPED)
    await page.getByText('1 released by its worker; it waits for the next worker').waitFor()
    const attempts = page.getByRole('list', { name: 'Attempts' })
    await attempts.getByText('Its worker was stopped.').waitFor()
    expect([await page.getByText('1 attempt', { exact: true }).count(), complaints]).toEqual([1, []])
    expect(await flaws(page, 'job-released')).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await claimJob(service.runtime, jobId)
    await attempts.getByText('Attempt 2').waitFor()
    await attempts.getByText('running').waitFor()
    await recordAttemptEnd(
      service.runtime,
      { jobId, attempt: 2, workerId: 'wrk_gone' },
      { ending: 'worker_lost', cause: 'killed' },
    )
    notifyJob(service.runtime, { accountId, jobId })
    await attempts.getByText('Its worker was lost.').waitFor()
    await db.pool.query('delete from job where id = $1', [jobId])
    await page.close()
  })

  test('each attempt at a job is told with its times and its reason, to operators with its worker and the true cause', async () => {
    const { service, browser, owner, account, at } = opened()
    const { db } = service.runtime
    const id = await insertJob(db, account, { status: 'failed', errorCode: 'PROVIDER_UNAVAILABLE', cause: TRUE_CAUSE })
    await db.pool.query(`update job set started_at = created_at, attempt = 7 where id = $1`, [id])
    await db.pool.query(ADD_ATTEMPTS, [id, `${TRUE_CAUSE} ${'x'.repeat(200)}`])
    const { page, complaints } = await openPage(owner, service.url)
    const attempts = page.getByRole('list', { name: 'Attempts' })
    for (const path of ['jobs', 'operator/jobs']) {
      await page.goto(at(`${path}/${id}`))
      await attempts.getByText('Attempt 7').waitFor()
      expect(await attempts.getByRole('listitem').count()).toBe(5)
      await page.getByRole('button', { name: 'Show all 7' }).click()
      expect(await attempts.getByRole('listitem').count()).toBe(7)
      const first = attempts.getByRole('listitem').first()
      expect(await first.innerText()).toMatch(/Attempt 1\s+lost\s+.+, for 2\.0 s\s+Its worker was lost\.\s+Worker/)
      expect(await first.locator('pre').innerText()).toContain(TRUE_CAUSE)
      expect(await flaws(page, 'job-attempts')).toEqual([])
      await page.setViewportSize({ width: 1440, height: 900 })
    }
    const email = ownEmail('member')
    await createUser(service.runtime.as({ kind: 'system' }), { account, email, password: PASSWORD, role: 'member' })
    const member = await browser.newContext()
    const { page: plain, complaints: others } = await openPage(member, service.url)
    await plain.goto(at('sign-in'))
    await signIn(plain, email)
    await plain.goto(at(`jobs/${id}`))
    const seen = plain.getByRole('list', { name: 'Attempts' })
    await seen.getByText('The rendering service is unavailable').waitFor()
    expect(await seen.innerText()).not.toMatch(/Worker w|wrk_|10\.0\.0\.7/)
    expect([complaints, others]).toEqual([[], []])
    await Promise.all([page.close(), member.close()])
  })

  test('a delivery is sent again from the page of its job, which shows what becomes of it', async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const [id, job] = [newId('msg'), await insertJob(service.runtime.db, account, { status: 'failed' })]
    await pool.query(ADD_DELIVERY, [id, account, job])
    await pool.query(END_DELIVERY, [id])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs/${job}`))
    const row = page.locator(`[data-delivery=${id}]`)
    await row.getByRole('rowheader', { name: 'hooks.example.com' }).waitFor()
    const again = row.getByRole('button', { name: 'Send again to hooks.example.com' })
    await row.locator('.pill', { hasText: 'failed' }).waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    expect(await flaws(page, 'job-deliveries')).toEqual([])
    await again.click()
    await page.getByText('The delivery is sent again.').waitFor()
    await row.locator('.pill', { hasText: 'pending' }).waitFor()
    expect(await again.isDisabled()).toBe(true)
    await pool.query(END_DELIVERY, [id])
    notifyAccount(service.runtime, account, id)
    await row.locator('.pill', { hasText: 'failed' }).waitFor()
    expect([await again.isEnabled(), complaints]).toEqual([true, []])
    await page.close()
  })
}

/** A shell sends this for the copied line. */
async function copied(page: Page): Promise<unknown> {
  // It is said for a moment alone: the page itself looks out for it.
  const said = page.waitForFunction(() => document.body.textContent.includes('Copied'))
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await said
  const line = await page.evaluate(() => navigator.clipboard.readText())
  expect(line).toContain('/api/v1/voice/tts')
  const stub = 'curl() { for last; do :; done; printf %s "$last"; }'
  return JSON.parse(execFileSync('sh', ['-c', `${stub}\n${line}`], { encoding: 'utf8' }))
}
