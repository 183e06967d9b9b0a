import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateApiKey } from '../src/api-keys/change-api-key.ts'
import { applyEndpoint } from './setup/jobs/voice-jobs.ts'
import { cleanUp, makeTempDir } from './setup/processes/process.ts'
import { startTestRuntime, type TestRuntime } from './setup/service/runtime.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/mcp.mjs', import.meta.url))
const DEADLINE_MS = 90_000

interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
}
interface Told {
  readonly content: readonly Content[]
  readonly isError?: boolean
}

let service: TestRuntime
let caller: { readonly account: string; readonly key: string; readonly keyId: string }
let folder: string
let client: Client
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  await applyEndpoint(service.runtime, 'assistant')
  caller = await service.createCaller()
  folder = await makeTempDir()
  client = new Client({ name: 'test', version: '1.0.0' })
  const env = { SONANT_URL: `${service.url}/`, SONANT_KEY: caller.key, SONANT_AUDIO_DIR: join(folder, 'spoken') }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [EXAMPLE], env }))
}, DEADLINE_MS)
afterAll(async () => {
  await client?.close()
  await service?.close()
  await cleanUp()
})

const call = async (name: string, args: Record<string, unknown> = {}): Promise<Told> =>
  (await client.callTool({ name, arguments: args })) as unknown as Told

test('an assistant finds the tools and the voices that its key may use', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['speak', 'list_voices'])
  const { content, isError } = await call('list_voices')
  expect(isError).toBeUndefined()
  expect(content[0]?.text).toContain('calm')
})

test('an assistant hears the text in the format that it asks for, and it is charged to the account of its key', async () => {
  const told = await call('speak', { text: 'Good morning!', voice: 'calm', model: 'assistant', format: 'wav' })
  expect(told.isError).toBeUndefined()
  const [audio, said] = told.content
  const bytes = Buffer.from(audio!.data!, 'base64')
  expect([audio!.type, audio!.mimeType, bytes.subarray(0, 4).toString()]).toEqual(['audio', 'audio/wav', 'RIFF'])
  const [file] = await readdir(join(folder, 'spoken'))
  expect(said?.text).toBe(`The audio is in ${join(folder, 'spoken', file!)}.`)
  expect(await readFile(join(folder, 'spoken', file!))).toEqual(bytes)
  const { rows } = await service.runtime.db.pool.query(
    `select inputs->>'text' as text, api_key_id as key from job where account_id = $1`,
    [caller.account],
  )
  expect(rows).toEqual([{ text: 'Good morning!', key: caller.keyId }])
})

test('an assistant is told in words why nothing was spoken', async () => {
  const words = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await call(name, args)
    expect(isError).toBe(true)
    return content[0]?.text
  }
  const good = { text: 'Good morning!', voice: 'calm', model: 'assistant' }
  expect(await words('speak', { ...good, voice: 'nobody' })).toContain('voice')
  expect(await words('speak', { ...good, text: '' })).toContain('input')
  expect(await words('speak', { ...good, format: 'midi' })).toBe('Give a text, and a format of mp3, wav, opus, flac.')
  expect(await words('sing', good)).toBe('There is no tool "sing".')
  const monthlyLimit = 1
  await updateApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: caller.keyId, monthlyLimit })
  expect(await words('speak', good)).toContain('monthly limit')
})

test('without a key it says what it needs', async () => {
  const env = { PATH: process.env.PATH }
  const { status, stderr } = spawnSync(process.execPath, [EXAMPLE], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'Put an API key into the environment variable SONANT_KEY.\n'])
})
