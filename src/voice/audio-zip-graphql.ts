import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { type AudioZip, audioZip } from './audio-zip.ts'

const AudioZipRef = builder.objectRef<AudioZip>('AudioZip').implement({
  description: 'ZIP file of the audio of several voice jobs, each in the format in which it is stored.',
  fields: (t) => ({
    url: t.expose('url', {
      type: 'URL',
      description:
        'Signed URL of the file, valid for 15 minutes. Files are named by the first words of their texts, in the order of the ids.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time from which on the URL answers 403.' }),
    files: t.exposeInt('files', { description: 'Number of the audio files.' }),
    bytes: t.exposeFloat('bytes', { description: 'Size of the audio files together in bytes: a whole number.' }),
    missingIds: t.idList({
      description: 'Those of the ids without audio. A text file in the ZIP says why, if their jobs exist.',
      resolve: ({ missingIds }) => [...missingIds],
    }),
  }),
})

builder.queryField('audioZip', (t) =>
  t.field({
    type: AudioZipRef,
    description: "ZIP file of the audio of jobs of the caller's account, at most 4 GiB. Needs the scope job:read.",
    args: { ids: t.arg.idList({ required: true, description: 'Ids of up to 100 voice jobs.' }) },
    ...resolvedBy(audioZip, (args: { ids: readonly string[] }) => args),
  }),
)
