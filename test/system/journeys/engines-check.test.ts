import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endpoint } from '../../setup/jobs/fixtures.ts'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run, sonantOn } from '../../setup/processes/process.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'

// Each command is a process of its own.
const DEADLINE_MS = 180_000

describe('sonant engines check', { timeout: DEADLINE_MS }, () => {
  let server: SpeechServer
  beforeEach(async () => {
    server = await startSpeechServer()
  })
  afterEach(() => server.close())
  afterAll(cleanUp)

  test('has each server list its voices and speak, and exits with 1 when one cannot', async () => {
    const directory = await makeTempDir()
    const env = { DATA_DIR: join(directory, 'data') }
    const block = { kind: 'openai-speech', base_url: server.url, model: 'tts' }
    const file = join(directory, 'endpoints.json')
    const voice = (engine_voice: string) => ({ voices: [{ slug: 'v', name: 'V', kind: 'preset', engine_voice }] })
    const endpoints = [
      endpoint('good', { engine: block, ...voice('Vivian') }),
      endpoint('strange', { engine: block, ...voice('Nobody') }),
      endpoint('down', { engine: { ...block, base_url: 'http://127.0.0.1:9' } }),
    ]
    await writeFile(file, JSON.stringify({ endpoints }))
    await sonantOn(env, 'endpoints', 'apply', file)
    server.offer({ voices: ['vivian', 'ryan'] })

    const { code, stdout } = await run(['engines', 'check', '--json'], env)
    expect(code).toBe(1)
    const { engines } = JSON.parse(stdout) as { engines: { endpoint: string }[] }
    const of = (slug: string) => engines.find((one) => one.endpoint === slug)
    const spoken = { speech_ms: expect.any(Number), audio_ms: expect.any(Number), error: null }
    const listed = { kind: 'openai-speech', server: server.url, voices_offered: 2 }
    expect(of('good')).toEqual({ endpoint: 'good', ...listed, voices_missing: [], ...spoken })
    expect(of('strange')).toEqual({ endpoint: 'strange', ...listed, voices_missing: ['Nobody'], ...spoken })
    expect(of('down')).toMatchObject({ speech_ms: null, error: expect.stringContaining('PROVIDER_UNAVAILABLE') })
    expect(of('tts')).toMatchObject({ kind: 'espeak', server: null, voices_offered: null, ...spoken })

    const mended = ['down', 'strange'].map((slug) => endpoint(slug, { engine: block, ...voice('Ryan') }))
    await writeFile(file, JSON.stringify({ endpoints: mended }))
    await sonantHere(env, 'endpoints', 'apply', file)
    const table = await run(['engines', 'check'], env)
    expect(table.code).toBe(0)
    expect(table.stdout).toMatch(/^ENDPOINT +ENGINE +SERVER +VOICES +SPEECH\n/)
    expect(table.stdout).toMatch(/\ngood +openai-speech +http:\S+ +2 +\d\.\d\d s of audio in \d+\.\d\d s\n/)
  })
})
