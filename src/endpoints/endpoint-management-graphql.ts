import { builder } from '../graphql/builder.ts'
import { applyEndpoints } from './apply-endpoints.ts'
import { deleteEndpoint } from './delete-endpoint.ts'

const AUDIO_URL = /^data:audio\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/

/** Files are those of the machine that the command line runs on: nobody reads them from afar. */
async function readInlineAudio(path: string): Promise<Uint8Array> {
  const [, content] = AUDIO_URL.exec(path) ?? []
  if (content === undefined) throw Object.assign(new Error('not inline'), { code: 'send a data: URL of audio' })
  return Buffer.from(content, 'base64')
}

builder.mutationFields((t) => ({
  applyEndpoints: t.stringList({
    description:
      'Makes or replaces the endpoints and workflows of an endpoint file, all or none. Returns their slugs. Needs a key with the scope operator.',
    args: {
      source: t.arg.string({ required: true, description: 'YAML or JSON; a reference_audio is a data: URL of audio.' }),
    },
    resolve: async (_root, { source }, ctx) => [
      ...(await applyEndpoints(ctx, { source, readAudio: readInlineAudio })).applied,
    ],
    extensions: { verb: applyEndpoints },
  }),
  deleteEndpoint: t.string({
    description:
      'Deletes a voice endpoint or, where none has that slug, a workflow. Needs a key with the scope operator.',
    args: { slug: t.arg.string({ required: true, description: 'Its slug.' }) },
    resolve: async (_root, args, ctx) => (await deleteEndpoint(ctx, args)).deleted,
    extensions: { verb: deleteEndpoint },
  }),
}))
