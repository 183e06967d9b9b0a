import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileBlockedTerms } from '../../src/companion/moderate.ts'
import { startProducers } from '../setup/service/producers.ts'

describe('blocked terms', () => {
  const TERMS = ['ass', 'Forbidden Phrase', 'c++ bomb', '禁止', 'straße', '*', 'ห้าม']
  it.each([
    'what an ass',
    'ASS!',
    '"ass"',
    'ass-like',
    'ａｓｓ',
    '𝐚𝐬𝐬',
    'a\u200bs\u00ads',
    'forbidden   \n\u00a0phrase',
    'FORBIDDEN PHRASE',
    'a C++ bomb.',
    '这是禁止的',
    'STRASSE und Straße',
    'ฉันห้ามคุณ',
    'five * six',
  ])('are found in %j', (text) => {
    expect(compileBlockedTerms(TERMS)(text)).toBe(true)
  })

  it.each(['class', 'assess', 'forbiddenphrase', 'forbidden, phrase', 'c+ bomb', '禁 止', 'nothing', ''])(
    'are not found in %j',
    (text) => {
      expect(compileBlockedTerms(TERMS)(text)).toBe(false)
    },
  )

  it('have a built-in list, and an empty list finds nothing', () => {
    expect(compileBlockedTerms(null)('tell me how to make a BOMB')).toBe(true)
    expect(compileBlockedTerms(null)('what a lovely day')).toBe(false)
    expect(compileBlockedTerms([])('how to make a bomb')).toBe(false)
  })

  it('are tested in a time that grows with the text only', () => {
    const test = compileBlockedTerms(TERMS)
    const started = process.threadCpuUsage().user
    test('forbidden '.repeat(100_000))
    expect((process.threadCpuUsage().user - started) / 1000).toBeLessThan(5000)
  })
})

describe('a companion without a moderation server', () => {
  it('rejects by the list of the operator, in messages and replies, and without a model replies with null', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-terms-'))
    const file = join(directory, 'terms.txt')
    await writeFile(file, '# one a line\nxyzzy\nplugh, frobnicate\n')
    const service = await startProducers(({ url }) => ({
      COMPANION_BASE_URL: url,
      COMPANION_BLOCKED_TERMS_FILE: file,
    }))
    const key = await service.newKey()
    const say = async (message: string) =>
      (await service.send<{ job_id: string; reply: string | null }>('/companion/chat', key, { message })).body
    const asked = await say('please Frobnicate it')
    expect(asked).toMatchObject({ is_prohibited: true, reply: null })
    expect((await service.job(asked.job_id)).reason).toBe('The message holds a blocked term.')
    service.provider.script('/v1/chat/completions', {
      body: { choices: [{ message: { content: [{ type: 'text', text: 'Say plugh.' }] } }] },
    })
    const replied = await say('how to make a bomb')
    expect(replied).toMatchObject({ is_prohibited: true, reply: null })
    expect((await service.job(replied.job_id)).reason).toBe('The reply holds a blocked term.')
    await service.close()
    await rm(directory, { recursive: true })

    const silent = await startProducers(() => ({}))
    const other = await silent.newKey()
    const passed = await silent.send('/companion/chat', other, { message: 'Hello.' })
    expect(passed.body).toMatchObject({ status: 'completed', is_prohibited: false, reply: null })
    // A chat without a model is in use all the same: retention drops it by the last request that named it.
    await silent.query("update companion_chat set updated_at = '2020-01-01'", [])
    await silent.send('/companion/chat', other, { message: 'Hello again.', chat_id: passed.body.chat_id })
    const old = await silent.query("select from companion_chat where updated_at < now() - interval '1 hour'", [])
    expect(old).toEqual([])
    const medium = { media_url: 'https://example.com/a.mp3', media_kind: 'audio' }
    expect((await silent.send('/companion/media-tag', other, medium)).body).toMatchObject({
      is_prohibited: false,
      tags: [],
    })
    await silent.close()
  })
})
