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
    await page.goBack()
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

  test('a job without a text says so', async () => {
    const { service, owner, account, at } = opened()
    const inputs = { characters: 12 }
    const id = await insertJob(service.runtime.db, account, { status: 'failed', errorCode: 'PROVIDER_BUSY', inputs })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs/${id}`))
    await page.getByRole('heading', { level: 1, name: 'Text not kept' }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
}
