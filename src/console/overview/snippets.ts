/** The call that the snippets show, with its key. */
interface Call {
  readonly service: string
  readonly apiKey: string
  readonly slug: string
  readonly voice: string
}

interface Snippet {
  readonly name: string
  /** How it is run, from the file that it is kept in. */
  readonly run: string
  readonly text: string
}

/** One sentence as a file of speech, for each way to ask: each runs as it stands. */
export const snippets = (call: Call): readonly Snippet[] => [
  { name: 'curl', run: 'Paste it into a terminal.', text: curl(call) },
  { name: 'Python', run: 'Keep it as hello.py and run: python3 hello.py', text: python(call) },
  { name: 'TypeScript', run: 'Keep it as hello.mts and run: node hello.mts', text: typescript(call) },
  {
    name: 'OpenAI SDK',
    run: 'Run: npm install openai. Keep it as hello.mts and run: node hello.mts',
    text: openai(call),
  },
]

const bodyOf = ({ slug, voice }: Call): string =>
  JSON.stringify({ model: slug, voice, input: 'Hello! This is my first program that speaks.' })

const curl = (call: Call): string =>
  [
    `curl -fsS ${call.service}/v1/audio/speech \\`,
    `  -H 'Authorization: Bearer ${call.apiKey}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${bodyOf(call)}' \\`,
    '  -o hello.mp3',
  ].join('\n')

const python = (call: Call): string =>
  [
    'import json',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${call.service}/v1/audio/speech",`,
    `    data=json.dumps(${bodyOf(call)}).encode(),`,
    `    headers={"Authorization": "Bearer ${call.apiKey}", "Content-Type": "application/json"},`,
    ')',
    'with urllib.request.urlopen(request) as answer, open("hello.mp3", "wb") as file:',
    '    file.write(answer.read())',
  ].join('\n')

const typescript = (call: Call): string =>
  [
    "import { writeFile } from 'node:fs/promises'",
    '',
    `const answer = await fetch('${call.service}/v1/audio/speech', {`,
    "  method: 'POST',",
    `  headers: { authorization: 'Bearer ${call.apiKey}', 'content-type': 'application/json' },`,
    `  body: JSON.stringify(${bodyOf(call)}),`,
    '})',
    'if (!answer.ok) throw new Error(await answer.text())',
    "await writeFile('hello.mp3', Buffer.from(await answer.arrayBuffer()))",
  ].join('\n')

const openai = (call: Call): string =>
  [
    "import { writeFile } from 'node:fs/promises'",
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: '${call.service}/v1', apiKey: '${call.apiKey}' })`,
    `const speech = await client.audio.speech.create(${bodyOf(call)})`,
    "await writeFile('hello.mp3', Buffer.from(await speech.arrayBuffer()))",
  ].join('\n')
