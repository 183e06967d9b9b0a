import { afterEach, expect, test, vi } from 'vitest'
import { ownMedia } from '../../../src/console/api/base.ts'

const SIGNED = '?type=audio%2Fwav&expires=1790000000&signature=a-b_c'

afterEach(() => vi.unstubAllGlobals())

test("sound of the service is asked for where its page was loaded from, and a bucket's where the bucket is", () => {
  vi.stubGlobal('location', new URL('http://192.0.2.7:8080/console/jobs'))
  const bucket = 'https://s3.example.com/media/job_1.wav?X-Amz-Expires=900&X-Amz-Signature=ab'
  expect([
    ownMedia(`http://127.0.0.1:4000/media/live/job_1.mp3${SIGNED}`),
    ownMedia(bucket),
    ownMedia(`https://other.example.com/files/job_1.wav${SIGNED}`),
  ]).toEqual([
    `http://192.0.2.7:8080/media/live/job_1.mp3${SIGNED}`,
    bucket,
    `https://other.example.com/files/job_1.wav${SIGNED}`,
  ])
})
