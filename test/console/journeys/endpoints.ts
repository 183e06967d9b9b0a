import { expect, test } from 'vitest'
import { flaws, openPage } from '../../setup/browser.ts'
import { PASSWORD } from '../../setup/people.ts'
import { applyEndpoint } from '../../setup/voice-jobs.ts'
import type { OpenedConsole } from './opened-console.ts'

/** The endpoint editor. */
export function endpointsJourneys(opened: () => OpenedConsole): void {
  test('an operator changes an endpoint as a file: errors have lines, changes are seen before they are applied', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await applyEndpoint(
      service.runtime,
      'vip',
      { base_url: 'http://127.0.0.1:9' },
      { published: false, credits_per_character: 3 },
    )
    await page.goto(at('operator/endpoints'))
    await page.getByRole('row', { name: /vip.*draft/ }).waitFor()
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
    const line = source.split('\n').findIndex((text) => text.includes('published:')) + 1
    expect(await page.locator('.yaml-lines .bad').allTextContents()).toEqual([String(line)])
    expect(await flaws(page, 'editor-error')).toEqual([])
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await editor.fill(source.replace('credits_per_character: 3', 'credits_per_character: 4'))
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
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('every process has it').waitFor()
    await expect.poll(() => editor.inputValue()).toContain('credits_per_character: 4')
    expect(service.runtime.catalog.current.endpoints.get('vip')?.creditsPerCharacter).toBe(4)
    expect(complaints).toEqual([])
    await page.close()
  })
}
