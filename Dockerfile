# One gateway with its terminals, and the image of each gateway in deploy/compose.yaml. See docs/ci.md.
#
#   docker build --tag pinpad .
#   docker run --rm --publish 127.0.0.1:8080:8080 --env PINPAD_PUBLIC_URL=http://localhost:8080 --volume pinpad:/data pinpad
#
# The package as it would be published, with the dependencies that it is tested with. There is no compiler here, and none
# is needed: native parts come compiled for x64 and arm64.
FROM node:24-slim AS package
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && mv build/package /package && chmod --recursive a+rX /package \
  && cd /package && npm install --package-lock-only --ignore-scripts && npm ci --omit dev --ignore-scripts

FROM node:24-slim
COPY --from=package /package /opt/pinpad
RUN ln --symbolic /opt/pinpad/bin/pinpad.js /usr/local/bin/pinpad && mkdir --mode=0700 /data && chown node:node /data
# Also for commands beside the gateway, as in "docker exec CONTAINER pinpad pay 12.50".
ENV PINPAD_HOST=0.0.0.0 PINPAD_DATA=/data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=2s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PINPAD_PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["pinpad"]
CMD ["up"]
