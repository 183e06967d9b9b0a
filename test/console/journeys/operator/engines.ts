import { expect, onTestFinished, test } from 'vitest'
import { deleteEndpoint } from '../../../../src/catalog/change-catalog.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { freePorts } from '../../../setup/http.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { type Page as ServerPage, startSpeechServer } from '../../../setup/servers/speech-server.ts'
import { ahead, type OpenedConsole } from '../opened-console.ts'

const KEY = 'sk-of-kokoro-1234567890'
const FOCUSED = 'document.activeElement.textContent'
const KOKORO: Readonly<Record<string, ServerPage>> = {
  '/v1/models': { json: { data: [{ id: 'kokoro', owned_by: 'kokoro' }] } },
  '/v1/audio/voices': { json: { voices: ['af_heart', 'bm_george', 'ef_dora'] } },
}

/** Journeys of operators through the engines. */
export function engineJourneys(opened: () => OpenedConsole): void {
  test('an operator adds a speech server by its address and key, hears it, and speaks with it, all by the keyboard', async () => {
    const { service, owner, at } = opened()
    const server = await startSpeechServer()
    onTestFinished(() => server.close())
    server.show(KOKORO, ({ authorization }) =>
      authorization === `Bearer ${KEY}` ? undefined : { status: 401, json: {} },
    )
    await service.runtime.db.pool.query('update session set password_at = now()')
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator/engines'))
    await page.getByRole('region', { name: 'Text to speech' }).waitFor()
    expect(await flaws(page, 'engines')).toEqual([])
    await page.getByRole('link', { name: 'Add an engine' }).press('Enter')
    // The heading takes the focus at each navigation, also from a field that was filled before.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('Add an engine')
    const [address, key] = [page.getByLabel('Address'), page.getByLabel('Key', { exact: true })]
    await address.fill('127.0.0.1:9')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing answers at 127.0.0.1:9').first().waitFor()
    await address.fill(server.url)
    await page.keyboard.press('Enter')
    await page.getByText('Enter the key of the server').first().waitFor()
    expect(await address.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await flaws(page, 'engine-refused')).toEqual([])
    await key.fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kokoro-FastAPI answers' }).waitFor()
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('2. Kokoro-FastAPI answers')
    await page.getByLabel('Name').fill('Studio')
    await page.getByRole('button', { name: 'None' }).press('Enter')
    expect(await page.getByRole('button', { name: 'Add it' }).count()).toBe(0)
    await page.getByRole('button', { name: 'All' }).press('Enter')
    await page.getByLabel('George').press('Space')
    await page.getByText('2 of 3 are taken').waitFor()
    await page.getByRole('button', { name: 'Hear it' }).press('Enter')
    await page.getByText(/of speech, spoken in/).waitFor()
    await expect.poll(() => page.evaluate('document.querySelector("audio")?.currentTime > 0.05')).toBe(true)
    expect(await page.evaluate(FOCUSED)).toContain('Hear it')
    await page.getByRole('button', { name: 'Show its file' }).press('Enter')
    const file = await page.getByLabel('Endpoint file').inputValue()
    expect([file.includes('api_key_sealed'), file.includes(KEY), file.includes('bm_george')]).toEqual([
      true,
      false,
      false,
    ])
    expect(await flaws(page, 'engine-heard')).toEqual([])
    await page.getByRole('button', { name: 'Add it' }).press('Enter')
    await page.getByRole('heading', { name: 'It is added' }).waitFor()
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('It is added')
    expect(await flaws(page, 'engine-added')).toEqual([])
    await page.getByRole('link', { name: 'Speak with it' }).press('Enter')
    await page.waitForURL((url) => url.searchParams.get('endpoint') === 'studio')
    await page.getByLabel('Text', { exact: true }).fill('Now this server speaks.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    expect(server.calls.at(-1)?.body).toMatchObject({ input: 'Now this server speaks.', model: 'kokoro' })
    expect(complaints).toEqual([])
    await page.close()
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'studio' })
  })

  test('an engine whose server is away is red with what to do, may be heard meanwhile, and is well once the server is back', async () => {
    const { service, owner, at } = opened()
    const [port = 0] = await freePorts(1)
    await service.runtime.db.pool.query('update session set password_at = now()')
    await applyEndpoint(service.runtime, 'gone', { base_url: `http://127.0.0.1:${port}` }, { name: 'Gone' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.clock.install()
    await page.goto(at('operator/engines'))
    const card = page.getByRole('region', { name: 'Gone' })
    const words = ahead(page, async () => (await card.textContent()) ?? '')
    await expect.poll(words, { timeout: 30_000 }).toContain('out of reach')
    expect(await words()).toContain('See that the server runs')
    await card.getByRole('button', { name: 'Hear it' }).press('Enter')
    const hear = card.locator('form').getByRole('button', { name: 'Hear it' })
    await hear.press('Enter')
    await card.getByText(`Nothing answers at 127.0.0.1:${port}`).waitFor()
    expect(await hear.evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await flaws(page, 'engine-red')).toEqual([])
    const server = await startSpeechServer(port)
    onTestFinished(() => server.close())
    await expect.poll(words, { timeout: 30_000 }).not.toContain('out of reach')
    expect(await hear.evaluate((button) => button === document.activeElement)).toBe(true)
    await hear.press('Enter')
    await card.getByText(/of speech, spoken in/).waitFor()
    expect(complaints).toEqual([])
    await page.close()
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'gone' })
  })
}
