import { ownerOf } from '../access/actor.ts'
import { builder } from '../graphql/builder.ts'
import { ArtifactRef, seesContent } from '../jobs/graphql/job-graphql.ts'
import { DEFAULT_PEAKS, peaksOf } from './stored-speech.ts'

/** All samples are read, whatever `count` is: 0.3 ms of processor time for a second of audio. */
const COST = 1000

builder.objectField(ArtifactRef, 'peaks', (t) =>
  t.floatList({
    nullable: true,
    description:
      'Peaks for a waveform: the loudest sample, from 0 to 1, of each of `count` equal parts of the audio. Null if the artifact is no audio or longer than 3 hours, or its file was deleted; null for callers of other accounts.',
    args: { count: t.arg.int({ description: 'Number of peaks: 1 to 1,000; 160 unless given.' }) },
    resolve: async (artifact, { count }, ctx) =>
      (await seesContent(ctx, artifact.jobId))
        ? peaksOf(ctx, ownerOf(ctx.actor) ?? 'operator', artifact, count ?? DEFAULT_PEAKS)
        : null,
    extensions: { cost: COST },
  }),
)
