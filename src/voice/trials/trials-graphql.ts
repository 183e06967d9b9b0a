import { type EndpointVoice, VoiceRef } from '../../catalog/endpoint-graphql.ts'
import { withoutPassword } from '../../catalog/files/hidden-password.ts'
import { SAMPLE_FOLDER } from '../../catalog/voice-samples.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { storageKeyOf } from '../../library/account-voices.ts'
import { isId } from '../../values/id.ts'
import { type TextLanguageInput, textLanguage } from './text-language.ts'
import { checkEngine, type EngineCheck, isSound } from './try-engine.ts'
import { SAMPLE_TYPE } from './voice-sample.ts'

const EngineCheckRef = builder.objectRef<EngineCheck>('EngineCheck').implement({
  description: 'What an engine did with one sentence, asked by the process that answers. Nothing is charged.',
  fields: (t) => ({
    endpoint: t.exposeString('endpoint', { description: 'The slug of its endpoint.' }),
    kind: t.exposeString('kind', { description: 'The kind of its engine block.' }),
    server: t.string({
      nullable: true,
      description:
        'Where it is, without a password; null for an engine that is part of each process. `worker`: that of the workers, asked for no speech, as they alone reach it.',
      resolve: ({ server }) => (server === null ? null : withoutPassword(server)),
    }),
    ok: t.boolean({ description: 'Whether it did what it should, and knows all voices.', resolve: isSound }),
    voicesOffered: t.exposeInt('offered', {
      nullable: true,
      description: 'How many it lists; null where it lists none.',
    }),
    voicesMissing: t.stringList({
      description: 'Engine voices of the endpoint that are not among them.',
      resolve: ({ missing }) => [...missing],
    }),
    speechMs: t.int({
      nullable: true,
      description: 'What a sentence took, in milliseconds; null where it failed, or was not asked for.',
      resolve: ({ speech }) => speech?.tookMs,
    }),
    audioMs: t.int({
      nullable: true,
      description: 'How long the sentence plays, in milliseconds.',
      resolve: ({ speech }) => speech?.durationMs,
    }),
    error: t.string({
      nullable: true,
      description: 'Why it failed.',
      resolve: ({ error, server }) =>
        server === null ? error : (error?.replaceAll(server, withoutPassword(server)) ?? null),
    }),
  }),
})

builder.mutationField('checkEngine', (t) =>
  t.field({
    type: EngineCheckRef,
    errors: {},
    description:
      'Has the engine of a voice endpoint list its voices and speak one sentence, within 20 seconds. It changes nothing and asks for no password. Needs the scope operator, or a signed-in operator.',
    args: { slug: t.arg.string({ required: true, description: 'The slug of a voice endpoint.' }) },
    ...resolvedBy(checkEngine, (args: { slug: string }) => args),
  }),
)

builder.queryField('textLanguage', (t) =>
  t.string({
    nullable: true,
    description:
      'The language that a text is spoken in where its request names none, by its first 1,000 characters; null where nothing tells.',
    args: {
      text: t.arg.string({ required: true, description: 'The text, without markup.' }),
      slug: t.arg.string({ description: 'The slug of the endpoint that is to speak it.' }),
      voice: t.arg.string({ description: 'The slug of a voice of that endpoint: short texts are in its language.' }),
    },
    ...resolvedBy(textLanguage, (args: TextLanguageInput) => args),
  }),
)

builder.objectField(VoiceRef, 'sampleUrl', (t) =>
  t.field({
    type: 'URL',
    nullable: true,
    description:
      'A signed URL of a sentence that it speaks, an MP3 file; it is rendered for its first listener, and lives 15 minutes. Of a voice of the account its recording, a WAV file. Null without a key or a signed-in user, and where workers alone reach the engine.',
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
