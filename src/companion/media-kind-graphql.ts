import { describedEnum } from '../graphql/described-enum.ts'
import type { MediaKind } from './tag-media.ts'

export const MediaKindEnum = describedEnum<MediaKind>('MediaKind', 'The kind of a medium.', {
  image: 'A picture.',
  video: 'Moving pictures.',
  audio: 'A recording.',
})
