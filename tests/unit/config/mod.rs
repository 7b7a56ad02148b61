mod external;
mod layers;
mod load;
mod own_paths;
mod telemetry;
mod tool_servers;
