import { expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { startModelMirror } from '../../../setup/servers/model-mirror.ts'
import { startTestRuntime } from '../../../setup/service/runtime.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, signIn } from '../opened-console.ts'

const OFFER = 'All voices are robotic ones.'

/** The playground's offer of a natural voice. */
export function naturalVoiceJourneys(opened: () => OpenedConsole): void {
  test('the playground offers operators a natural voice, says why it cannot be had, and can be told to stop', async () => {
    const { browser, folder } = opened()
    const mirror = await startModelMirror()
    onTestFinished(() => mirror.close())
    const env = { SONANT_MODELS_URL: mirror.url }
    const service = await startTestRuntime({ worker: true, consoleFolder: folder, env })
    onTestFinished(() => service.close())
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    for (const role of ['owner', 'member'] as const)
      await createUser(system, { account, email: `${role}@example.com`, password: PASSWORD, role })
    await setOperator(system, { user: 'owner@example.com', operator: true })
    const [context, others] = [await browser.newContext(), await browser.newContext()]
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(`${service.url}/console`)
    await signIn(page, 'owner@example.com')
    await page.getByRole('button', { name: 'Install Kokoro' }).click()
    await page.getByRole('alert').getByText('is not there: the server answered 404').waitFor()
    await page.goto(`${service.url}/console/playground`)
    const offer = page.getByRole('region', { name: 'A natural voice' })
    await offer.getByText(OFFER).waitFor()
    expect(await flaws(page, 'natural-voice')).toEqual([])
    await offer.getByRole('button', { name: 'Install Kokoro' }).click()
    await offer.getByRole('alert').getByText('is not there: the server answered 404').waitFor()
    expect(mirror.asked.length).toBe(2)
    await offer.getByRole('button', { name: 'Do not offer this again' }).click()
    await page.reload()
    await page.getByLabel('Text', { exact: true }).waitFor()
    expect([await offer.count(), complaints]).toEqual([0, []])
    const { page: theirs } = await openPage(others, service.url)
    await theirs.goto(`${service.url}/console/playground`)
    await signIn(theirs, 'member@example.com')
    await theirs.getByLabel('Text', { exact: true }).waitFor()
    expect(await theirs.getByText(OFFER).count()).toBe(0)
    await context.close()
    await others.close()
  })

  test('the playground shows the command for a natural voice where no worker runs beside the API', async () => {
    const { browser, folder } = opened()
    const service = await startTestRuntime({ consoleFolder: folder })
    onTestFinished(() => service.close())
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    await createUser(system, { account, email: 'alone@example.com', password: PASSWORD, role: 'owner' })
    await setOperator(system, { user: 'alone@example.com', operator: true })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(`${service.url}/console/playground`)
    await signIn(page, 'alone@example.com')
    const offer = page.getByRole('region', { name: 'A natural voice' })
    await offer.getByText('npx sonant models pull kokoro').waitFor()
    await page.goto(`${service.url}/console`)
    await page.getByText('npx sonant models pull kokoro').waitFor()
    expect(await page.getByRole('button', { name: 'Install Kokoro' }).count()).toBe(0)
    await page.goto(`${service.url}/console/playground`)
    await offer.waitFor()
    expect(await offer.getByRole('button', { name: 'Install Kokoro' }).count()).toBe(0)
    expect([await flaws(page, 'natural-voice-command'), complaints]).toEqual([[], []])
    await context.close()
  })
}
