import { expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { applyWorkflow } from '../../../setup/jobs/workflows.ts'
import { startTestRuntime } from '../../../setup/service/runtime.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

/** The endpoint editor. */
export function endpointsJourneys(opened: () => OpenedConsole): void {
  test('an operator changes an endpoint as a file: errors have lines, changes are seen before they are applied, and a deletion says what waits', async () => {
    const { service, owner, account, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await service.runtime.db.pool.query("delete from job where endpoint_key = 'voice.vip'")
    await applyEndpoint(
      service.runtime,
      'vip',
      { base_url: 'http://127.0.0.1:9' },
      { published: false, credits_per_character: 3 },
    )
    await page.goto(at('operator/endpoints'))
    await page.getByRole('row', { name: /vip.*draft/ }).waitFor()
    expect(await page.getByRole('row', { name: /vip/ }).locator('[data-label=Voices]').textContent()).toBe('1')
    expect(await flaws(page, 'endpoints')).toEqual([])
    await page.getByRole('link', { name: 'vip' }).click()
    await page.getByRole('button', { name: 'Check engine' }).click()
    const findings = page.getByRole('status', { name: 'Engine check' })
    await findings.getByText('needs attention').waitFor()
    await findings.getByText(/PROVIDER_UNAVAILABLE/).waitFor()
    expect(await flaws(page, 'engine-check')).toEqual([])
    const editor = page.getByLabel('Endpoint file')
    const source = await editor.inputValue()
    await editor.fill(source.replace('published: false', 'published: maybe'))
    await page.getByRole('button', { name: 'Review changes' }).click()
    await page.getByText('endpoints.0.published must be true or false').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Review changes')
    const line = source.split('\n').findIndex((text) => text.includes('published:')) + 1
    expect(await page.locator('.yaml-lines .bad').allTextContents()).toEqual([String(line)])
    expect(await flaws(page, 'editor-error')).toEqual([])
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await editor.fill(source.replace('credits_per_character: 3', 'credits_per_character: 4 # Dearer.'))
    await page.getByRole('button', { name: 'Review changes' }).click()
    await page.getByRole('row', { name: 'credits_per_character 3 4' }).waitFor()
    expect(await flaws(page, 'editor')).toEqual([])
    const asked = page.waitForEvent('dialog')
    const left = page.evaluate('location.reload()')
    await (await asked).dismiss()
    await left
    expect((await asked).type()).toBe('beforeunload')
    await service.runtime.db.pool.query('update session set password_at = null')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('it is in use everywhere').waitFor()
    await expect.poll(() => editor.inputValue()).toMatch(/credits_per_character: 4\n/)
    expect(await page.getByRole('button', { name: 'Undo all' }).isDisabled()).toBe(true)
    expect(service.runtime.catalog.current.endpoints.get('vip')?.creditsPerCharacter).toBe(4)
    await insertJob(service.runtime.db, account, { status: 'queued', endpointKey: 'voice.vip' })
    await service.runtime.db.pool.query('update session set password_at = null')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete vip?' })
    await dialog.getByText('1 job waits for it').waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type vip to confirm').fill('vip')
    await page.keyboard.press('Enter')
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    expect(await flaws(page, 'endpoint-delete')).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('vip is deleted.').waitFor()
    await page.waitForURL(at('operator/endpoints'))
    await page.getByRole('row', { name: /tts/ }).first().waitFor()
    await expect.poll(() => page.getByRole('row', { name: /vip/ }).count()).toBe(0)
    expect(await page.getByText('vip', { exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })
  test('a file that is not applied outlives other screens, and says that another version was applied meanwhile', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const apply = (credits: number) =>
      applyEndpoint(
        service.runtime,
        'kept',
        { base_url: 'http://127.0.0.1:9' },
        { published: false, credits_per_character: credits },
      )
    await apply(3)
    await page.goto(at('operator/endpoints/kept'))
    const editor = page.getByLabel('Endpoint file')
    const mine = `${await editor.inputValue()}# Mine.\n`
    await editor.fill(mine)
    const moved = page.getByText('Another version was applied')
    const comeBack = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Jobs' }).first().click()
      await page.getByRole('heading', { name: 'Jobs' }).waitFor()
      await page.goBack()
      await editor.waitFor()
    }
    await comeBack()
    expect([await editor.inputValue(), await moved.count()]).toEqual([mine, 0])
    await apply(5)
    await comeBack()
    await moved.waitFor()
    expect(await editor.inputValue()).toBe(mine)
    await page.getByRole('button', { name: 'Undo all' }).click()
    expect(await editor.inputValue()).toMatch(/credits_per_character: 5\n/)
    expect([await moved.count(), complaints]).toEqual([0, []])
    await page.close()
  })

  test('workflows are shown page by page, in an address of their own, and the endpoints stay meanwhile', async () => {
    const { browser, folder } = opened()
    const service = await startTestRuntime({ consoleFolder: folder })
    onTestFinished(() => service.close())
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('of-workflows')
    await createUser(system, { account: await service.createAccount(), email, password: PASSWORD, role: 'owner' })
    await setOperator(system, { user: email, operator: true })
    for (let n = 10; n <= 60; n++) await applyWorkflow(service.runtime, `flow-${n}`)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(`${service.url}/console/operator/endpoints`)
    await signIn(page, email)
    const flows = page.getByRole('link', { name: /^flow-/ })
    await expect.poll(() => flows.count()).toBe(50)
    const pages = page.getByRole('navigation', { name: 'Pages of workflows' })
    expect([await page.getByRole('navigation', { name: 'Pages' }).count(), await flaws(page, 'workflows')]).toEqual([
      1,
      [],
    ])
    await pages.getByRole('button', { name: 'Next' }).click()
    await page.waitForURL((url) => url.searchParams.has('workflows-after'))
    await expect.poll(() => flows.allTextContents()).toEqual(['flow-60'])
    await page.reload()
    await expect.poll(() => flows.allTextContents()).toEqual(['flow-60'])
    await page.getByRole('row', { name: /tts/ }).first().waitFor()
    await pages.getByRole('button', { name: 'Previous' }).click()
    await expect.poll(() => flows.count()).toBe(50)
    expect([await flows.first().textContent(), complaints]).toEqual(['flow-10', []])
    await context.close()
  })

  test('signing out asks before a file that is not applied goes with the session, and no other user sees it', async () => {
    const { service, browser, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount()
    const emails = [ownEmail('first-editor'), ownEmail('second-editor')] as const
    for (const email of emails) {
      const { id } = await createUser(system, { account, email, password: PASSWORD, role: 'owner' })
      await setOperator(system, { user: id, operator: true })
    }
    await applyEndpoint(service.runtime, 'left', { base_url: 'http://127.0.0.1:9' }, { published: false })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('operator/endpoints/left'))
    await signIn(page, emails[0])
    const editor = page.getByLabel('Endpoint file')
    const mine = `${await editor.inputValue()}# Mine.\n`
    await editor.fill(mine)
    const signOut = async (): Promise<void> => {
      await page.locator('.account-button').click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    }
    await signOut()
    const question = page.getByRole('dialog', { name: 'Sign out' })
    await question.getByText('is not applied').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.keyboard.press('Escape')
    const item = page.getByRole('button', { name: 'Sign out', exact: true })
    await expect.poll(() => item.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await question.getByRole('button', { name: 'Go back' }).click()
    expect([await question.count(), await editor.inputValue()]).toEqual([0, mine])
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog', { name: 'Sign out everywhere?' }).getByText('is not applied').waitFor()
    await page.keyboard.press('Escape')
    await signOut()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').waitFor()
    await page.goto(at('operator/endpoints/left'))
    await signIn(page, emails[1])
    await editor.waitFor()
    expect(await editor.inputValue()).not.toContain('Mine')
    await signOut()
    await page.getByLabel('E-mail address').waitFor()
    expect([await question.count(), complaints]).toEqual([0, []])
    await context.close()
  })
}
