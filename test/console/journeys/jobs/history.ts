import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { allFinished } from '../../../setup/jobs/voice-jobs.ts'
import { read } from '../../../setup/service/graphql.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const SUBMIT = `mutation ($text: String!, $tags: [String!]) {
  submitVoiceJob(slug: "tts", inputs: {text: $text, voice: "aria", language: "English"}, options: {tags: $tags}) {
    ... on VoiceJobSubmission { jobId }
  }
}`

/** Journeys through what was spoken, found again by a person. */
export function historyJourneys(opened: () => OpenedConsole): void {
  test('a job is found by its words and its tag, heard in the list, opened by name, downloaded with others and deleted', async () => {
    const { service, owner, account, at } = opened()
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    const [word, tag] = [ownName('lighthouse'), ownName('tag')]
    const submit = async (text: string): Promise<string> =>
      (await read<{ submitVoiceJob: { jobId: string } }>(service.url, apiKey, SUBMIT, { text, tags: [tag] }))
        .submitVoiceJob.jobId
    const ids = [await submit(`The ${word} was dark.`), await submit('Another text with the same tag.')]
    await allFinished(service.runtime, ids)
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('jobs'))
    const rows = page.locator('tbody tr[data-job]')
    await page.getByLabel('Words of the text, or a job id').fill(word.toUpperCase())
    await page.keyboard.press('Enter')
    await page.waitForURL(/words=/)
    await expect.poll(() => rows.count()).toBe(1)
    const row = rows.first()
    expect((await row.innerText()).replace(/\s+/g, ' ')).toMatch(
      new RegExp(`The ${word} was dark. Aria · English ${tag}`),
    )
    await row.getByRole('button', { name: `Play The ${word} was dark.` }).click()
    await row.getByRole('button', { name: /^Stop/ }).waitFor()
    await row.getByRole('link', { name: tag }).click()
    await page.waitForURL(at(`jobs?tag=${tag}`))
    await expect.poll(() => rows.count()).toBe(2)
    await rows.getByRole('link', { name: word }).click()
    await page.getByRole('heading', { level: 1, name: `The ${word} was dark.` }).waitFor()
    expect(await page.title()).toBe(`The ${word} was dark. · Sonant`)
    expect(await flaws(page, 'job-named')).toEqual([])
    await opensInPlayground(page, word)
    await page.goBack()
    await page.goBack()
    await choosesTag(page, tag)
    await page.getByLabel('Select all on this page').check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download 2' }).click()
    expect((await download).suggestedFilename()).toMatch(/^speech_.*\.zip$/)
    expect(await flaws(page, 'history')).toEqual([])
    await page.getByRole('button', { name: 'Delete 2' }).click()
    await page.getByRole('button', { name: 'Delete jobs' }).click()
    await page.getByText('2 deleted.').waitFor()
    await page.getByText('No job matches').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a job without a text says so, and why it cannot be retried', async () => {
    const { service, owner, account, at } = opened()
    const inputs = { characters: 12 }
    const id = await insertJob(service.runtime.db, account, { status: 'failed', errorCode: 'PROVIDER_BUSY', inputs })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs/${id}`))
    await page.getByRole('heading', { level: 1, name: 'Text not kept' }).waitFor()
    await page.getByText('It cannot be retried, because what it was sent is not kept: send it again.').waitFor()
    for (const name of ['Retry', 'Open in the playground'])
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('operators find jobs by names in their language, and the words of other accounts stay hidden', async () => {
    const { service, owner, account, at } = opened()
    const other = await service.createAccount()
    const endpointKey = ownName('voice.any')
    const inputs = { text: 'Die Wörter eines Auftrags.', characters: 26 }
    const { db } = service.runtime
    for (const accountId of [account, other]) await insertJob(db, accountId, { status: 'failed', endpointKey, inputs })
    await insertJob(db, account, { status: 'failed', endpointKey, inputs: { characters: 12 } })
    await db.pool.query(`update job set voice = 'aria', language = 'German' where endpoint_key = $1`, [endpointKey])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`operator/jobs?endpoint=${endpointKey}`))
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    const names = page.locator('.job-words > a')
    const named = () => names.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('lang')]))
    const others = ['Speech by aria', null]
    expect(await named()).toEqual([others, others, [inputs.text, 'de']])
    expect(await flaws(page, 'operator-jobs')).toEqual([])
    await names.first().click()
    await page.getByRole('heading', { level: 1, name: 'Speech by aria' }).waitFor()
    expect(await page.getByText('Die Wörter').count()).toBe(0)
    await page.goto(at(`jobs?endpoint=${endpointKey}`))
    await expect.poll(named).toEqual([
      ['Text not kept', null],
      [inputs.text, 'de'],
    ])
    expect(complaints).toEqual([])
    await page.close()
  })
}

/** With its text, its voice, and the way back to what was written there before. */
async function opensInPlayground(page: Page, word: string): Promise<void> {
  await page.getByRole('button', { name: 'Open in the playground' }).click()
  const text = page.getByLabel('Text', { exact: true })
  await expect.poll(() => text.inputValue()).toBe(`The ${word} was dark.`)
  await expect.poll(() => page.getByRole('radio', { name: /Aria/ }).isChecked()).toBe(true)
  await text.fill('')
}

/** The account's tags are suggested once somebody wants one. */
async function choosesTag(page: Page, tag: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Tag' })
  await field.focus()
  await expect
    .poll(() => page.locator('datalist option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))))
    .toContain(tag)
  await field.fill(tag)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('tag') === tag)
}
