import { at } from '../api/base.ts'

/** Each leads to the jobs that have the same tag. */
export const TagLinks = ({ tags }: { readonly tags: readonly string[] }) => (
  <>
    {tags.map((tag) => (
      <a
        key={tag}
        class="chip tag"
        href={at(`/jobs?${new URLSearchParams({ tag })}`)}
        title={`Jobs with the tag ${tag}`}
      >
        <bdi>{tag}</bdi>
      </a>
    ))}
  </>
)
