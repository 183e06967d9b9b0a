import { expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { endpoint } from '../../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../../setup/service/runtime.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { ahead, type OpenedConsole, signIn } from '../opened-console.ts'

const OF_MEMBERS = 'No worker serves the pool of this job'
const OF_OPERATORS = 'No worker serves pool night'
const OF_ENDPOINTS = 'This endpoint cannot speak now'
const ADD_WORKER = `insert into worker (id, host, version, pools, slots, in_flight, gpus, heartbeat_at)
  values ('wrk_night', 'h', '1', '{night}', 1, 0, '[]', now() + interval '1 hour')`

const SERVE = 'update worker set pools = $1'

/** Jobs that no worker takes. */
export function unservedPoolJourneys(opened: () => OpenedConsole): void {
  test('a job that no worker takes says so until one does, and names its pool to operators alone', async () => {
    const { browser, folder } = opened()
    const service = await startTestRuntime({ consoleFolder: folder })
    onTestFinished(() => service.close())
    const id = await waitingJob(service)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.clock.install()
    await page.goto(`${service.url}/console/jobs/${id}`)
    await signIn(page, 'member@example.com')
    await page.getByText(OF_MEMBERS).waitFor()
    expect([await page.getByText('night').count(), await flaws(page)]).toEqual([0, []])
    await page.goto(`${service.url}/console/playground?endpoint=shown`)
    await page.getByLabel('Text', { exact: true }).fill('Nobody takes it.')
    await page.keyboard.press('Control+Enter')
    await page.locator('.take').getByText(OF_MEMBERS).waitFor()
    const operator = await browser.newContext()
    const { page: own, complaints: others } = await openPage(operator, service.url)
    await own.clock.install()
    await own.goto(`${service.url}/console/operator`)
    await signIn(own, 'owner@example.com')
    for (const path of ['operator', `operator/jobs/${id}`, `jobs/${id}`]) {
      await own.goto(`${service.url}/console/${path}`)
      await own.getByText(OF_OPERATORS).waitFor()
      expect([path, await flaws(own)]).toEqual([path, []])
    }
    await service.runtime.db.pool.query(ADD_WORKER)
    await expect.poll(ahead(own, () => own.getByText(OF_OPERATORS).count())).toBe(0)
    await expect.poll(ahead(page, () => page.locator('.take').getByText(OF_MEMBERS).count())).toBe(0)
    await own.goto(`${service.url}/console/operator`)
    await own.getByRole('row', { name: /night/ }).first().waitFor()
    expect([await own.getByText(OF_OPERATORS).count(), complaints, others]).toEqual([0, [], []])
    await context.close()
    await operator.close()
  })

  test('the playground begins with an endpoint that a worker serves, stays with it, and says of another one that none does', async () => {
    const { service, context, page, complaints } = await openPlayground(opened(), '')
    const choice = page.getByLabel('Endpoint', { exact: true })
    await choice.waitFor()
    const hint = page.getByText(OF_ENDPOINTS)
    expect([await choice.inputValue(), await hint.count()]).toEqual(['shown', 0])
    await service.runtime.db.pool.query(SERVE, [['day']])
    await page.getByLabel('Connection: Live').waitFor()
    await context.setOffline(true)
    await context.setOffline(false)
    await hint.waitFor()
    expect([await choice.inputValue(), new URL(page.url()).search]).toEqual(['shown', ''])
    await service.runtime.db.pool.query(SERVE, [['night']])
    await page.getByRole('button', { name: 'Look again' }).click()
    await hint.waitFor({ state: 'detached' })
    expect(await choice.inputValue()).toBe('shown')
    await choice.selectOption('aside')
    await page.waitForURL(/\/playground\?endpoint=aside$/)
    await hint.waitFor()
    expect(await choice.locator('option', { hasText: 'cannot speak now' }).count()).toBe(2)
    expect(await flaws(page, 'unserved-endpoint')).toEqual([])
    await service.runtime.db.pool.query(SERVE, [['day']])
    await page.getByRole('button', { name: 'Look again' }).click()
    await hint.waitFor({ state: 'detached' })
    await page.goto(`${service.url}/console/playground`)
    await choice.waitFor()
    expect(await choice.inputValue()).toBe('aside')
    await page.getByRole('radio').last().check({ force: true })
    await page.waitForURL(/\/playground\?endpoint=aside&voice=loud$/)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a link to a voice alone opens the first endpoint that has it, served or not', async () => {
    const { service, context, page, complaints } = await openPlayground(opened(), '?voice=calm')
    for (const [voice, slug, unserved, gone] of [
      ['calm', 'aside', 1, 0],
      ['loud', 'aside', 1, 0],
      ['nix', 'shown', 0, 1],
    ] as const) {
      await page.goto(`${service.url}/console/playground?voice=${voice}`)
      const choice = page.getByLabel('Endpoint', { exact: true })
      await choice.waitFor()
      const notices = [page.getByText(OF_ENDPOINTS), page.getByText(`asks for the voice ${voice}, which is not there`)]
      const counts = await Promise.all(notices.map((notice) => notice.count()))
      expect([voice, await choice.inputValue(), ...counts]).toEqual([voice, slug, unserved, gone])
    }
    expect(complaints).toEqual([])
    await context.close()
  })
}

/** The playground of a member, of a service whose second endpoint alone is served. */
async function openPlayground({ browser, folder }: OpenedConsole, search: string) {
  const service = await startTestRuntime({ consoleFolder: folder })
  onTestFinished(() => service.close())
  await withOneServed(service)
  const context = await browser.newContext()
  const { page, complaints } = await openPage(context, service.url)
  await page.goto(`${service.url}/console/playground${search}`)
  await signIn(page, 'member@example.com')
  return { service, context, page, complaints }
}

/** A worker serves `waitingJob`'s endpoint now; none serves the one before it, which has more voices. */
async function withOneServed(service: TestRuntime): Promise<void> {
  await waitingJob(service)
  const [voice] = endpoint('aside').voices
  const voices = ['calm', 'loud'].map((slug) => ({ ...voice, slug }))
  await applyEndpoint(service.runtime, 'aside', { pool: 'day' }, { voices })
  await service.runtime.db.pool.query(ADD_WORKER)
}

/** A job of a pool that no worker serves, in an account with a member and with an owner, an operator as well. */
async function waitingJob(service: TestRuntime): Promise<string> {
  const account = await service.createAccount()
  const system = service.runtime.as({ kind: 'system' })
  for (const role of ['owner', 'member'] as const)
    await createUser(system, { account, email: `${role}@example.com`, password: PASSWORD, role })
  await setOperator(system, { user: 'owner@example.com', operator: true })
  await applyEndpoint(service.runtime, 'shown', { pool: 'night' })
  const { apiKey } = await service.createKey(account)
  return submitText(service.url, apiKey, 'shown', 'It waits.')
}
