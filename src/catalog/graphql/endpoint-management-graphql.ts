import { builder } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { applyEndpoints } from '../apply-endpoints.ts'
import { deleteEndpoint } from '../delete-endpoint.ts'

const AUDIO_URL = /^data:audio\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/

/** Files are those of the machine that the command line runs on: no remote caller reads them. */
async function readInlineAudio(path: string): Promise<Uint8Array> {
  const [, content] = AUDIO_URL.exec(path) ?? []
  if (content === undefined) throw Object.assign(new Error('not inline'), { code: 'send a data: URL of audio' })
  return Buffer.from(content, 'base64')
}

const ApplicationRef = builder.objectRef<{ readonly applied: readonly string[] }>('ApplyEndpointsSuccess').implement({
  description: 'An endpoint file that is live in every process within a second.',
  fields: (t) => ({
    slugs: t.stringList({
      description: 'Of its endpoints, then of its workflows.',
      resolve: ({ applied }) => [...applied],
    }),
  }),
})

const DeletionRef = builder.objectRef<{ readonly deleted: string }>('DeleteEndpointSuccess').implement({
  description: 'A deleted endpoint or workflow. Its jobs stay.',
  fields: (t) => ({
    slug: t.exposeString('deleted', { description: 'The slug of the deleted endpoint or workflow.' }),
  }),
})

builder.mutationFields((t) => ({
  applyEndpoints: t.field({
    type: ApplicationRef,
    errors: {},
    description:
      'Makes or replaces the endpoints and workflows of an endpoint file, all or none. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      source: t.arg.string({ required: true, description: 'YAML or JSON; a reference_audio is a data: URL of audio.' }),
    },
    ...resolvedBy(applyEndpoints, ({ source }: { source: string }) => ({ source, readAudio: readInlineAudio })),
  }),
  deleteEndpoint: t.field({
    type: DeletionRef,
    errors: {},
    description:
      'Deletes a voice endpoint or, where none has that slug, a workflow. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    ...resolvedBy(deleteEndpoint, (args: { slug: string }) => args),
  }),
}))
