import { quoted, serviceCommand } from '../parts/service-command.ts'
/** The request that the samples show. */
export interface Spoken {
  readonly service: string
  readonly slug: string
  readonly voiceInput: string
  readonly inputs: Readonly<Record<string, unknown>>
}

interface Sample {
  readonly name: string
  readonly text: string
}

/** The same request for each way into the service. The key is named, never shown. */
export const codeSamples = (spoken: Spoken): readonly Sample[] => [
  { name: 'curl', text: curl(spoken) },
  { name: 'GraphQL', text: graphql(spoken) },
  { name: 'OpenAI SDK', text: openai(spoken) },
  { name: 'Command line', text: commandLine(spoken) },
]

/** The request as a line for a shell. */
export function curl({ service, slug, inputs }: Omit<Spoken, 'voiceInput'>): string {
  return [
    `curl -sS ${service}/api/v1/voice/${slug} \\`,
    '  -H "Authorization: Bearer $SONANT_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify({ inputs }, null, 2))}`,
  ].join('\n')
}

function graphql({ slug, inputs }: Spoken): string {
  return [
    'mutation Speak($inputs: JSON!) {',
    `  submitVoiceJob(slug: ${JSON.stringify(slug)}, inputs: $inputs) {`,
    '    ... on VoiceJobSubmission { jobId status }',
    '    ... on RequestError { code message details { path message } }',
    '  }',
    '}',
    '',
    `# variables: ${JSON.stringify({ inputs })}`,
  ].join('\n')
}

function openai({ service, slug, voiceInput, inputs }: Spoken): string {
  const { text = '', style_instruction: style, speed } = inputs
  const lines = [
    `  model: ${JSON.stringify(slug)},`,
    `  voice: ${JSON.stringify(inputs[voiceInput] ?? '')},`,
    `  input: ${JSON.stringify(text)},`,
    ...(style === undefined ? [] : [`  instructions: ${JSON.stringify(style)},`]),
    ...(speed === undefined ? [] : [`  speed: ${JSON.stringify(speed)},`]),
    "  response_format: 'mp3',",
  ]
  return [
    "import { writeFile } from 'node:fs/promises'",
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: ${JSON.stringify(`${service}/v1`)}, apiKey: process.env.SONANT_API_KEY })`,
    'const speech = await client.audio.speech.create({',
    ...lines,
    '})',
    "await writeFile('speech.mp3', Buffer.from(await speech.arrayBuffer()))",
  ].join('\n')
}

function commandLine({ slug, voiceInput, inputs }: Spoken): string {
  const { text = '' } = inputs
  const voice = inputs[voiceInput] === undefined ? '' : ` --voice ${quoted(String(inputs[voiceInput]))}`
  return serviceCommand(`say ${quoted(String(text))} --endpoint ${slug}${voice} -o speech.wav`)
}
