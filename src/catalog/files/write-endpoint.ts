import type { Voice, VoiceEndpoint, Workflow } from '../../context/catalog-snapshot.ts'
import type { Shown } from '../show-endpoint.ts'

export interface FileEntry {
  readonly section: 'endpoints' | 'workflows'
  readonly entry: Readonly<Record<string, unknown>>
}

/** Without recordings: `apply` needs the files again. */
export const writeEndpoint = (shown: Shown): FileEntry =>
  shown.kind === 'endpoint'
    ? { section: 'endpoints', entry: endpointEntry(shown.endpoint) }
    : { section: 'workflows', entry: workflowEntry(shown.workflow) }

const endpointEntry = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  name: endpoint.name,
  ...(endpoint.description !== null && { description: endpoint.description }),
  published: endpoint.published,
  required_scope: endpoint.requiredScope,
  voice_input: endpoint.voiceInput,
  inputs: endpoint.inputs,
  response_fields: endpoint.responseFields,
  engine: endpoint.engine,
  time_limit_seconds: endpoint.timeLimitSeconds,
  credits_per_character: endpoint.creditsPerCharacter,
  voices: endpoint.voices.map(voiceEntry),
  ...(endpoint.audio && { audio: endpoint.audio }),
  ...(endpoint.captions && { captions: endpoint.captions }),
  ...(endpoint.openai && { openai: endpoint.openai }),
  ...(endpoint.libraryVoices === true && { library_voices: true }),
  ...(endpoint.markup != null && { markup: endpoint.markup }),
  ...(endpoint.loudness != null && { loudness: endpoint.loudness }),
})

const voiceEntry = ({ engineVoice, referenceText, ...voice }: Voice) => ({
  slug: voice.slug,
  name: voice.name,
  description: voice.description,
  kind: voice.kind,
  ...(engineVoice !== null && { engine_voice: engineVoice }),
  ...(referenceText !== null && { reference_text: referenceText }),
  ...(voice.language != null && { language: voice.language }),
})

const workflowEntry = (workflow: Workflow) => ({
  slug: workflow.slug,
  name: workflow.name,
  ...(workflow.description !== null && { description: workflow.description }),
  inputs: workflow.inputs,
  engine: workflow.engine,
  time_limit_seconds: workflow.timeLimitSeconds,
  credits_per_job: workflow.creditsPerJob,
})
