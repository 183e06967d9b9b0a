#!/usr/bin/env node
// A server of the Model Context Protocol over stdio: an assistant that starts it can speak texts and list voices with a Sonant service.
// It needs the package @modelcontextprotocol/sdk. docs/mcp.md says how to set it up.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { SONANT_URL = 'http://127.0.0.1:4000', SONANT_KEY, SONANT_AUDIO_DIR } = process.env
/** Formats of files, and their media types. */
const FORMATS = { mp3: 'audio/mpeg', wav: 'audio/wav', opus: 'audio/ogg', flac: 'audio/flac' }

const text = (description) => ({ type: 'string', description })

const TOOLS = {
  speak: {
    description: 'Speaks a text and returns the audio. The spoken characters are charged to the account.',
    inputSchema: {
      type: 'object',
      properties: {
        text: text('Text to speak.'),
        voice: text('Voice, as list_voices names it; the first voice unless given.'),
        model: text('Endpoint, as list_voices names it; the usual one unless given.'),
        format: { type: 'string', enum: Object.keys(FORMATS), description: 'Format of the audio; mp3 unless given.' },
      },
      required: ['text'],
    },
    run: speak,
  },
  list_voices: {
    description: 'Lists the voices that speak can use, with their names, languages and endpoints.',
    inputSchema: { type: 'object', properties: {} },
    run: listVoices,
  },
}

async function speak({ text: input, voice, model, format = 'mp3' }, signal) {
  if (typeof input !== 'string' || !Object.hasOwn(FORMATS, format))
    throw new Error(`Give a text, and a format of ${Object.keys(FORMATS).join(', ')}.`)
  const response = await ask('/v1/audio/speech', signal, { input, voice, model, response_format: format })
  const audio = Buffer.from(await response.arrayBuffer())
  const content = [{ type: 'audio', data: audio.toString('base64'), mimeType: FORMATS[format] }]
  if (!SONANT_AUDIO_DIR) return content
  // The assistant names no files, so it can write none but these.
  const file = join(resolve(SONANT_AUDIO_DIR), `${randomUUID()}.${format}`)
  await mkdir(SONANT_AUDIO_DIR, { recursive: true })
  await writeFile(file, audio, { flag: 'wx' })
  return [...content, { type: 'text', text: `The audio is in ${file}.` }]
}

async function listVoices(_args, signal) {
  const { voices } = await (await ask('/v1/audio/voices', signal)).json()
  return [{ type: 'text', text: JSON.stringify(voices) }]
}

/** Asks the service with the key. A refusal is an error with the words of the service. */
async function ask(path, signal, body) {
  const response = await fetch(SONANT_URL.replace(/\/+$/, '') + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${SONANT_KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  })
  if (response.ok) return response
  const told = await response.json().catch(() => null)
  throw new Error(told?.error?.message ?? `The service answered ${response.status}.`)
}

if (!SONANT_KEY) {
  console.error('Put an API key into the environment variable SONANT_KEY.')
  process.exit(1)
}
const server = new Server({ name: 'sonant', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
}))
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }, { signal }) => {
  try {
    if (!Object.hasOwn(TOOLS, name)) throw new Error(`There is no tool "${name}".`)
    return { content: await TOOLS[name].run(args, signal) }
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true }
  }
})
await server.connect(new StdioServerTransport())
