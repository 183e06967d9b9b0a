import { type EndpointVoice, VoiceRef } from '../../catalog/endpoint-graphql.ts'
import { withoutPassword } from '../../catalog/files/hidden-password.ts'
import { SAMPLE_FOLDER } from '../../catalog/voice-samples.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import { builder, result } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { storageKeyOf } from '../../library/account-voices.ts'
import { isId } from '../../values/id.ts'
import { type TextLanguageInput, textLanguage } from './text-language.ts'
import { checkEngine, type EngineCheck, isSound } from './try-engine.ts'
import { SAMPLE_TYPE } from './voice-sample.ts'

const EngineCheckRef = builder.objectRef<EngineCheck>('EngineCheck').implement({
  description: 'Result of a trial of an engine with one sentence, by the process that answers. Nothing is charged.',
  fields: (t) => ({
    endpoint: t.exposeString('endpoint', { description: 'Slug of the endpoint.' }),
    kind: t.exposeString('kind', { description: 'Kind of the engine, as the engine block names it.' }),
    server: t.string({
      nullable: true,
      description:
        'Address of the engine, without a password; null for an engine that is part of each process; `worker` for one that only the workers reach, which was not asked for speech. An engine with several servers tells of the first that fails, or of the first.',
      resolve: ({ server }) => (server === null ? null : withoutPassword(server)),
    }),
    ok: t.boolean({ description: 'True if the engine spoke and has all voices of the endpoint.', resolve: isSound }),
    voicesOffered: t.exposeInt('offered', {
      nullable: true,
      description: 'Number of voices that the engine lists; null if it lists none.',
    }),
    voicesMissing: t.stringList({
      description: 'Engine voices of the endpoint that the engine does not list.',
      resolve: ({ missing }) => [...missing],
    }),
    speechMs: t.int({
      nullable: true,
      description:
        'Milliseconds that the engine took for the sentence; null if it failed, or was not asked for speech.',
      resolve: ({ speech }) => speech?.tookMs,
    }),
    audioMs: t.int({
      nullable: true,
      description: 'Length of the spoken sentence in milliseconds; null if there is none.',
      resolve: ({ speech }) => speech?.durationMs,
    }),
    error: t.string({
      nullable: true,
      description: 'Reason of the failure; null without one.',
      resolve: ({ error, server }) =>
        server === null ? error : (error?.replaceAll(server, withoutPassword(server)) ?? null),
    }),
  }),
})

builder.mutationField('checkEngine', (t) =>
  t.field({
    type: EngineCheckRef,
    errors: result("Result of the engine's trial", 'there was none'),
    description:
      'Has the engine of a voice endpoint list its voices and speak one sentence, within 20 seconds. It changes nothing and asks for no password. Needs the scope operator, or a signed-in operator.',
    args: { slug: t.arg.string({ required: true, description: 'Slug of a voice endpoint.' }) },
    ...resolvedBy(checkEngine, (args: { slug: string }) => args),
  }),
)

builder.queryField('textLanguage', (t) =>
  t.string({
    nullable: true,
    description:
      'Language in which a text is spoken if its request names none, judged by its first 1,000 characters; null if nothing tells it.',
    args: {
      text: t.arg.string({ required: true, description: 'Text without markup.' }),
      slug: t.arg.string({ description: 'Slug of the endpoint that is to speak the text.' }),
      voice: t.arg.string({
        description: 'Slug of a voice of that endpoint: short texts are taken to be in its language.',
      }),
    },
    ...resolvedBy(textLanguage, (args: TextLanguageInput) => args),
  }),
)

builder.objectField(VoiceRef, 'sampleUrl', (t) =>
  t.field({
    type: 'URL',
    nullable: true,
    description:
      'Signed URL of a sentence that the voice speaks, an MP3 file that is made for its first listener; for a voice of the account its recording, a WAV file. Valid for 15 minutes. Null without a key or a signed-in user, and if only workers reach the engine.',
    resolve: (voice, _args, ctx) => {
      const { endpointSlug, slug } = voice as EndpointVoice
      const endpoint = ctx.catalog.current.endpoints.get(endpointSlug)
      if (isId('voice', slug))
        return ctx.storage.signUrl(storageKeyOf(slug), { contentType: 'audio/wav', now: ctx.now() })
      const isListed = endpoint?.voices.some((known) => known.slug === slug) === true
      if (ctx.actor.kind === 'anonymous' || !isListed || endpoint.engine.base_url === OWNED_SERVER) return null
      return ctx.speechUrls.sign(`${SAMPLE_FOLDER}/${endpointSlug}/${slug}.mp3`, SAMPLE_TYPE, ctx.now())
    },
  }),
)
